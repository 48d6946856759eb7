/// Checks texts that people give their accounts.
package enum ProfileText {
    package static let longestName = 256
    package static let longestURL = 2048

    /// Whether the text may be stored as it is: not longer than `most` characters, and without characters that change how the rest is
    /// read.
    package static func isFit(_ text: String, most: Int) -> Bool {
        text.unicodeScalars.count <= most && !text.unicodeScalars.contains(where: isTreacherous)
    }

    /// Whether the text is the address of something that a page can show as a picture, or the picture itself. Apps give it to browsers, which
    /// would run a script in it.
    package static func isPicture(_ url: String) -> Bool {
        let start = url.utf8.prefix(16).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return ["https://", "http://", "data:image/"].contains { start.starts(with: $0.utf8) }
    }

    /// The text without those characters.
    package static func readable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { !isTreacherous($0) }))
    }

    /// The text without those characters and cut to `most`; `nil` when nothing is left.
    static func fit(_ text: String, most: Int) -> String? {
        let text = String(String.UnicodeScalarView(readable(text).unicodeScalars.prefix(most)))
        return text.isEmpty ? nil : text
    }

    /// Control characters, the separators of lines and paragraphs (which end a line like a control character), and characters that reverse
    /// the direction of writing, so that an app or a mail shows another text than was written.
    /// <https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>
    static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
