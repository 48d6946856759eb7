/// Splits Swift source into code and the text of its string literals. Comments are in neither.
struct SwiftText {
    /// The source with comments and the inside of literals and backticks replaced by spaces, line by line; code inside interpolations
    /// stays.
    private(set) var code = ""
    private(set) var lines: [Substring] = []
    /// The text of each string literal, with the line it starts on, without interpolated values.
    private(set) var strings: [(line: Int, text: String)] = []

    private let bytes: [UInt8]
    private var output: [UInt8]
    private var at = 0
    private var line = 1

    init(_ source: String) {
        bytes = Array(source.utf8)
        output = bytes
        readCode(insideInterpolation: false)
        code = String(decoding: output, as: UTF8.self)
        lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func sees(_ text: StaticString) -> Bool {
        bytes[at...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func blank() {
        if bytes[at] == UInt8(ascii: "\n") { line += 1 } else { output[at] = UInt8(ascii: " ") }
        at += 1
    }

    private mutating func readCode(insideInterpolation: Bool) {
        var depth = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "/") where sees("//"): while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { blank() }
            case UInt8(ascii: "/") where sees("/*"): readBlockComment()
            case UInt8(ascii: "`"): readQuotedName()
            case UInt8(ascii: "\""): readString(hashes: 0)
            case UInt8(ascii: "#"):
                let hashes = bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count
                at += hashes
                if at < bytes.count, bytes[at] == UInt8(ascii: "\"") { readString(hashes: hashes) }
            case UInt8(ascii: "("):
                depth += 1
                at += 1
            case UInt8(ascii: ")"):
                depth -= 1
                at += 1
                if insideInterpolation, depth < 0 { return }
            case UInt8(ascii: "\n"):
                line += 1
                at += 1
            default: at += 1
            }
        }
    }

    private mutating func readBlockComment() {
        var depth = 0
        while at < bytes.count {
            let (opens, closes) = (sees("/*"), sees("*/"))
            if opens || closes {
                depth += opens ? 1 : -1
                blank()
            }
            blank()
            if depth == 0 { return }
        }
    }

    private mutating func readQuotedName() {
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "`") { blank() }
        at += 1
    }

    private mutating func readString(hashes: Int) {
        let line = line
        let quotes = sees("\"\"\"") ? 3 : 1
        let closing = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let escape = [UInt8(ascii: "\\")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        var text: [UInt8] = []
        at += quotes
        while at < bytes.count, bytes[at] != closing[0] || !bytes[at...].starts(with: closing) {
            guard bytes[at] == escape[0], bytes[at...].starts(with: escape) else {
                text.append(bytes[at])
                blank()
                continue
            }
            for _ in escape { blank() }
            guard at < bytes.count else { break }
            if bytes[at] == UInt8(ascii: "(") {
                at += 1
                readCode(insideInterpolation: true)
            } else {
                blank()
            }
        }
        at = min(at + closing.count, bytes.count)
        strings.append((line, String(decoding: text, as: UTF8.self)))
    }
}

extension StringProtocol {
    /// The runs of letters, digits and underscores.
    var words: [Substring] {
        Substring(self).utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), 0x80...:
                false
            default: true
            }
        }.map(Substring.init)
    }
}
