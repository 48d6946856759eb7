import Mail
package import Text

/// E-mail addresses in the form in which accounts are compared by them.
package enum EmailAddress {
    /// The address in lower case; `nil` when mail cannot be sent to it, by the same rule as for mails (`Mail.Mailbox`).
    ///
    /// The result is ASCII, so that texts that look the same also have the same bytes: neither another Unicode form nor an invisible
    /// character makes a second account for one address.
    package static func canonical(_ text: String) -> String? {
        Mailbox(address: text).map { $0.address.lowercased() }
    }

    /// An address as a provider writes it, in the spelling that `canonical` reads: without spaces around it, and with its domain in ASCII.
    package static func ofProvider(_ text: UTF8Text) -> UTF8Text {
        var bytes = text.utf8[...]
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        bytes = bytes.drop(while: isSpace)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return UTF8Text(bytes) }
        let (local, domain) = (bytes[...at], UTF8Text(bytes[bytes.index(after: at)...]).asString)
        return InternationalDomain.ascii(domain).map { "\(UTF8Text(local))\($0)" } ?? UTF8Text(bytes)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The mailbox to which most mail servers deliver an address: without `+` and the part behind it in the local part (RFC 5233). It is
    /// only used for counting mails; for accounts, two such addresses are different.
    ///
    /// - Parameter address: in canonical form.
    package static func mailbox(of address: String) -> String {
        let bytes = address.utf8
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), let plus = bytes[..<at].firstIndex(of: UInt8(ascii: "+")),
            plus > bytes.startIndex
        else { return address }
        return String(address[..<plus] + address[at...])
    }
}
