import Identity
import Text

/// An operator's search among the accounts of a project: the text that was typed, read as each of the things that it can be, and a filter.
/// A rule without I/O; `UserSearches` asks the database.
///
/// The text can be an account's id, an address or its beginning, `@` with a domain, a phone number, a provider's id with a subject
/// (`google.com:1234`), a provider's address of a person, or the beginning of a name. `*text*` finds the text anywhere in addresses and names.
package struct UserSearch: Sendable, Equatable {
    /// The longest text, in characters.
    package static let longest = 320
    /// The shortest text that is looked for in the middle of others: the index of substrings has parts of three characters.
    package static let shortestSubstring = 3

    /// The text, without spaces around it.
    package let text: String
    package let filter: SearchFilter
    /// The searches that the text stands for, one behind the other: their accounts are listed in this order.
    let sources: [SearchSource]

    /// The reason why a text is not a search.
    package enum Fault: Error, Equatable {
        case tooLong
        /// It has control characters, or such as change the direction of writing; nothing that is stored has any.
        case unreadable
        /// A substring of fewer than `shortestSubstring` characters.
        case tooShort
    }

    package init(_ typed: String, _ filter: SearchFilter = SearchFilter()) throws(Fault) {
        let text = Self.trimmed(typed)
        guard text.unicodeScalars.count <= Self.longest else { throw .tooLong }
        guard [text, filter.providerID ?? ""].allSatisfy({ ProfileText.isFit($0, most: Self.longest) }) else { throw .unreadable }
        self.text = text
        self.filter = filter
        sources = try Self.sources(text, filter)
    }

    private static func sources(_ text: String, _ filter: SearchFilter) throws(Fault) -> [SearchSource] {
        if text.isEmpty { return [filter.source] }
        if text.utf8.first == UInt8(ascii: "*") {
            let part = trimmed(text.filter { $0 != "*" })
            guard part.unicodeScalars.count >= shortestSubstring else { throw .tooShort }
            return [.substring(part)]
        }
        if text.utf8.first == UInt8(ascii: "@"), isASCII(text), text.utf8.count > 1 {
            return [.domain(text.dropFirst().lowercased())]
        }
        var sources: [SearchSource] = AccountID.isPossible(UTF8Text(text)) ? [.id(text)] : []
        if let number = phoneNumber(text) { return sources + [.phone(number)] }
        if let (providerID, subject) = identity(text) { sources.append(.identity(providerID: providerID, subject: subject)) }
        let start = text.utf8.last == UInt8(ascii: "*") ? String(text.dropLast()) : text
        if isASCII(start), !start.utf8.contains(UInt8(ascii: " ")) {
            let address = start.lowercased()
            sources.append(.emailStart(address))
            if EmailAddress.canonical(address) != nil { sources.append(.providerEmail(address)) }
        }
        sources.append(.nameStart(start))
        return sources
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var bytes = text.utf8[...]
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return String(Substring(bytes.drop(while: isSpace)))
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// A number in international form, with or without the marks that people write between the digits.
    private static func phoneNumber(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "+") else { return nil }
        let rest = text.utf8.dropFirst().filter { !" -()./".utf8.contains($0) }
        let number = "+" + String(decoding: rest, as: UTF8.self)
        return PhoneNumber.isE164(UTF8Text(number)) ? number : nil
    }

    /// A provider's id and a subject, with a colon, a slash or a space between them.
    private static func identity(_ text: String) -> (providerID: String, subject: String)? {
        guard let end = text.utf8.firstIndex(where: { ":/ ".utf8.contains($0) }) else { return nil }
        let (providerID, subject) = (String(text[..<end]), trimmed(String(text[text.utf8.index(after: end)...])))
        let isProvider = providerID.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "-._".utf8.contains(byte)
        }
        guard isProvider, providerID.utf8.contains(UInt8(ascii: ".")), !subject.isEmpty else { return nil }
        return (providerID, subject)
    }
}
