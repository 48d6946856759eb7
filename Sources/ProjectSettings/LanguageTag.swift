/// The tags of languages. <https://www.rfc-editor.org/rfc/rfc5646#section-2.1>
package enum LanguageTag {
    /// `en`, `pt-BR`, `zh-Hant-TW`: letters and digits in groups of one to eight, the first one letters.
    package static func isWellFormed(_ tag: String) -> Bool {
        guard tag.utf8.count <= 35 else { return false }
        let groups = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = groups.first, (2...8).contains(first.count), first.allSatisfy(isLetter) else { return false }
        return groups.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) } }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
