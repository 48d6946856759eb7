/// The elements of one array of a JSON file, one after another: of the array that the file is, or of the array that one member of its object
/// has. The other members are passed over.
///
/// It looks only for the ends of values. Each element must still be parsed, and can be found wrong without an effect on the others.
package struct JSONElements {
    private enum State { case start, inArray(isFirst: Bool), behindArray, end }

    package let file: InputFile
    private let member: String
    private var state = State.start
    private var isObject = false
    private var wasFound = false

    /// - Parameter member: the name of the member that has the array, where the file is an object: ASCII without a backslash.
    package init(_ file: InputFile, member: String) { (self.file, self.member) = (file, member) }

    /// The bytes of the next element; `nil` at the end of the file.
    package mutating func next() throws(SourceFailure) -> FileRow<[UInt8]>? {
        if case .start = state { try begin() }
        while true {
            switch state {
            case .inArray(let isFirst):
                if let element = try element(isFirst: isFirst) { return element }
            case .behindArray:
                try findArray()
            case .start, .end:
                return nil
            }
        }
    }

    private mutating func begin() throws(SourceFailure) {
        switch try file.peekBehindSpace() {
        case UInt8(ascii: "["): state = .inArray(isFirst: true)
        case UInt8(ascii: "{"):
            isObject = true
            state = .behindArray
        case nil: throw SourceFailure("\(file.name) is empty")
        default: throw SourceFailure("\(file.name) is not JSON: it must begin with { or [")
        }
        file.skip()
        if isObject { try findArray(isFirst: true) } else { wasFound = true }
    }

    private mutating func element(isFirst: Bool) throws(SourceFailure) -> FileRow<[UInt8]>? {
        var byte = try file.peekBehindSpace()
        if byte == UInt8(ascii: "]") {
            file.skip()
            state = .behindArray
            if !isObject { try end() }
            return nil
        }
        if !isFirst {
            try expect(UInt8(ascii: ","), byte)
            byte = try file.peekBehindSpace()
        }
        guard let byte else { throw .cut(file, isFirst ? "at the beginning of the array" : "behind an account") }
        state = .inArray(isFirst: false)
        let line = file.line
        return .row(try value(byte, "in the middle of an account"), at: line)
    }

    /// Goes on to the wanted array, or to the end of the object.
    private mutating func findArray(isFirst: Bool = false) throws(SourceFailure) {
        var isFirst = isFirst
        while true {
            var byte = try file.peekBehindSpace()
            if byte == UInt8(ascii: "}") {
                file.skip()
                return try end()
            }
            if !isFirst {
                try expect(UInt8(ascii: ","), byte)
                byte = try file.peekBehindSpace()
            }
            isFirst = false
            guard byte == UInt8(ascii: "\"") || byte == nil else { throw unexpected() }
            let name = try value(UInt8(ascii: "\""), "in the name of a member")
            try expect(UInt8(ascii: ":"), try file.peekBehindSpace())
            let first = try file.peekBehindSpace()
            guard name == Array("\"\(member)\"".utf8) else {
                _ = try value(first ?? 0, "in the middle of a member")
                continue
            }
            guard first == UInt8(ascii: "["), !wasFound else {
                throw SourceFailure("\(file.name):\(file.line): the member \(member) \(wasFound ? "stands twice" : "is not an array")")
            }
            file.skip()
            wasFound = true
            state = .inArray(isFirst: true)
            return
        }
    }

    private mutating func end() throws(SourceFailure) {
        guard wasFound else {
            throw SourceFailure("\(file.name) has no member \(member) at its top level, so it is not a file of this kind")
        }
        guard try file.peekBehindSpace() == nil else {
            throw SourceFailure("\(file.name):\(file.line): there is text behind the end of the JSON")
        }
        state = .end
    }

    /// The bytes of the value that begins with `first`, which is the next byte.
    private func value(_ first: UInt8, _ place: String) throws(SourceFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var end = JSONValueEnd(first)
        guard try file.take(into: &bytes, { end.find(in: $0) }) else { throw .cut(file, place) }
        return bytes
    }

    private func expect(_ wanted: UInt8, _ byte: UInt8?) throws(SourceFailure) {
        guard let byte else { throw .cut(file, "before its last bracket") }
        guard byte == wanted else { throw unexpected() }
        file.skip()
    }

    private func unexpected() -> SourceFailure {
        SourceFailure("\(file.name):\(file.line): this is not JSON, so the rest of the file cannot be read")
    }
}

/// Finds the end of a JSON value without understanding it.
private struct JSONValueEnd {
    private let isNested: Bool
    private let isText: Bool
    private var depth = 0
    private var isInText = false
    private var isEscaped = false

    init(_ first: UInt8) {
        isText = first == UInt8(ascii: "\"")
        isNested = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The number of bytes up to the end of the value; `nil` when all belong to it and it goes on.
    mutating func find(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard isText || isNested else { return bytes.firstIndex(where: Self.endsScalar) }
        for (at, byte) in bytes.enumerated() {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                    if isText { return at + 1 }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return at + 1 }
            default: break
            }
        }
        return nil
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x0A, 0x0D, 0x09: true
        default: false
        }
    }
}
