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
}
