import Crypto
import Runtime

/// Writes text in header fields. <https://www.rfc-editor.org/rfc/rfc5322#section-2.2>, <https://www.rfc-editor.org/rfc/rfc2047>
enum HeaderText {
    private static let lineLength = 76

    /// A subject: unchanged when it is short ASCII, in encoded words otherwise.
    static func unstructured(_ text: String, after start: Int) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && text.utf8.count + start <= lineLength
        // The receiver would decode a text that looks like an encoded word.
        return isPlain && !text.utf8.contains("=?") ? text : encodedWords(text, after: start)
    }

    /// `Name <address>`. The name is written as a sequence of atoms, a quoted string, or encoded words.
    static func mailbox(_ mailbox: Mailbox) -> String {
        guard let name = mailbox.name else { return mailbox.address }
        let isShort = name.utf8.count <= 40 && !name.utf8.contains("=?")
        if isShort, name.utf8.allSatisfy({ isAtomText($0) || $0 == 0x20 }) { return "\(name) <\(mailbox.address)>" }
        if isShort, name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            let quoted = name.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) }
            return "\"\(quoted)\" <\(mailbox.address)>"
        }
        return "\(encodedWords(name, after: "Reply-To: ".utf8.count))\r\n <\(mailbox.address)>"
    }

    /// Base64 words of at most 75 characters, one on each line, broken between scalars.
    private static func encodedWords(_ text: String, after start: Int) -> String {
        // `=?utf-8?B?` and `?=` leave room for 45 bytes in 60 digits; the first line also contains the field's name.
        var room = max(9, (lineLength - start - 12) / 4 * 3)
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            if bytes.count + encoded.count > room {
                words.append(word(bytes))
                bytes = []
                room = 45
            }
            bytes += encoded
        }
        if !bytes.isEmpty { words.append(word(bytes)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.encode(bytes))?=" }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}

/// Writes text as ASCII lines of at most 76 characters. <https://www.rfc-editor.org/rfc/rfc2045#section-6.7>
enum QuotedPrintable {
    private static let lineLength = 76

    /// Line breaks of any kind become CR LF; the result ends with one.
    static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count * 5 / 4)
        for line in lines(text) { encode(line, into: &out) }
        return String(decoding: out, as: UTF8.self)
    }

    private static func encode(_ line: ArraySlice<UInt8>, into out: inout [UInt8]) {
        var length = 0
        for (index, byte) in zip(line.indices, line) {
            let isLast = index == line.endIndex - 1
            // Some mail servers remove a space at the end of a line.
            let isPlain = byte >= 0x21 && byte <= 0x7E && byte != UInt8(ascii: "=") || (byte == 0x20 || byte == 0x09) && !isLast
            let size = isPlain ? 1 : 3
            if length + size > (isLast ? lineLength : lineLength - 1) {
                out += [UInt8(ascii: "="), 0x0D, 0x0A]
                length = 0
            }
            if isPlain { out.append(byte) } else { out += [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)] }
            length += size
        }
        out += [0x0D, 0x0A]
    }

    private static func lines(_ text: String) -> [ArraySlice<UInt8>] {
        var bytes = Array(text.utf8).filter { $0 != 0x0D }
        if bytes.last == 0x0A { bytes.removeLast() }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

extension String.UTF8View {
    fileprivate func contains(_ part: String) -> Bool {
        indices.contains { self[$0...].starts(with: part.utf8) }
    }
}
