import Text

extension Parser {
    /// Reads a string, from its opening quote to behind its closing one. Most strings have no escape and are read in one piece.
    mutating func string() throws(JSONError) -> UTF8Text {
        at += 1
        let start = at
        let (end, isASCII) = bytes.withUnsafeBytes { PlainText.scan($0, from: start) }
        at = end
        switch try peek() {
        case .quote:
            at += 1
            guard isASCII else { return try text(bytes[start..<end], at: start) }
            return bytes.withUnsafeBytes { UTF8Text(decoding: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
        case .backslash: return try escapedString(from: start)
        default: throw .controlCharacter(at: at)
        }
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> UTF8Text {
        var plain = Array(bytes[start..<at])
        while true {
            let byte = try peek()
            switch byte {
            case .quote:
                at += 1
                return try text(plain[...], at: start)
            case .backslash: try escape(into: &plain)
            case 0..<0x20: throw .controlCharacter(at: at)
            default:
                plain.append(byte)
                at += 1
            }
        }
    }

    private mutating func escape(into plain: inout [UInt8]) throws(JSONError) {
        let start = at
        at += 1
        let byte = try peek()
        at += 1
        switch byte {
        case .quote, .backslash, UInt8(ascii: "/"): plain.append(byte)
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"): plain.append(contentsOf: String(try scalar(from: start)).utf8)
        default: throw .badEscape(at: start)
        }
    }

    /// Reads the scalar of a `\u` escape; above U+FFFF it takes two escapes. `start` is the position of the first backslash.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, at + 1 < bytes.count, bytes[at] == .backslash, bytes[at + 1] == UInt8(ascii: "u") else {
            throw .loneSurrogate(at: start)
        }
        at += 2
        let second = try codeUnit(from: at - 2)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw .loneSurrogate(at: start) }
        return scalar
    }

    private mutating func codeUnit(from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch try peek() {
            case let byte where (.zero ... .nine).contains(byte): digit = byte - .zero
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20):
                digit = (byte | 0x20) - UInt8(ascii: "a") + 10
            default: throw .badEscape(at: start)
            }
            unit = unit << 4 | UInt16(digit)
            at += 1
        }
        return unit
    }

    /// Text that is not all ASCII. ASCII text does not come here, since it needs no validation, which costs as much as the rest of the
    /// parser.
    private func text(_ bytes: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> UTF8Text {
        guard let text = UTF8Text(validating: bytes) else { throw .notUTF8(at: start) }
        return text
    }

    /// Reads `-? int frac? exp?`. Whole numbers are summed up while reading, as negative numbers, because one more negative number fits.
    mutating func number() throws(JSONError) -> JSON {
        let start = at
        let isNegative = bytes[at] == .minus
        if isNegative { at += 1 }
        var sum: Int64? = 0
        if try peek() == .zero {
            at += 1
        } else {
            try digits { digit in
                sum = sum.flatMap { sum in
                    let (tenfold, overflow) = sum.multipliedReportingOverflow(by: 10)
                    let (next, underflow) = tenfold.subtractingReportingOverflow(Int64(digit))
                    return overflow || underflow ? nil : next
                }
            }
        }
        var isWhole = true
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            isWhole = false
            at += 1
            try digits()
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            at += 1
            let sign = try peek()
            if sign == UInt8(ascii: "+") || sign == .minus { at += 1 }
            try digits()
        }
        if isWhole, let sum {
            if isNegative, sum != 0 { return .integer(sum) }
            if !isNegative, sum != .min { return .integer(-sum) }
        }
        guard let number = Double(String(decoding: bytes[start..<at], as: UTF8.self)), number.isFinite else {
            throw .numberOutOfRange(at: start)
        }
        return .number(number)
    }

    /// Reads one digit or more.
    private mutating func digits(_ each: (UInt8) -> Void = { _ in }) throws(JSONError) {
        let start = at
        while at < bytes.count, (.zero ... .nine).contains(bytes[at]) {
            each(bytes[at] - .zero)
            at += 1
        }
        guard at > start else { throw at < bytes.count ? .unexpected(at: at) : .unexpectedEnd }
    }
}
