import Mail

/// E-mail addresses as accounts are matched by them.
package enum EmailAddress {
    /// The address in lower case; `nil` when it is none that could be mailed, by the rule that mails themselves go by (`Mail.Mailbox`).
    ///
    /// What is left is ASCII, so that there is one spelling in bytes of what looks the same: neither another Unicode form nor an
    /// invisible character makes a second account of an address.
    package static func canonical(_ text: String) -> String? {
        Mailbox(address: text).map { $0.address.lowercased() }
    }

    /// The mailbox that most mail servers deliver an address to: without `+` and what follows it in the local part (RFC 5233). For counting
    /// mails alone; to accounts two such addresses are two.
    ///
    /// - Parameter address: in canonical form.
    static func mailbox(of address: String) -> String {
        let bytes = address.utf8
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), let plus = bytes[..<at].firstIndex(of: UInt8(ascii: "+")),
            plus > bytes.startIndex
        else { return address }
        return String(address[..<plus] + address[at...])
    }
}
