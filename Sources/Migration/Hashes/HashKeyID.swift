package import Crypto

extension ImportedHashKey {
    /// A key of another system, with an id that is made of its content. So a second import of the same key stores no second one, and an
    /// export names a key that another import finds again.
    ///
    /// The id is the first 16 hexadecimal digits of the SHA-256 of the separator's length in one byte, the separator and the secret.
    package init(derivingIDFrom secret: [UInt8], saltSeparator: [UInt8] = []) throws(PasswordHashFault) {
        let content = [UInt8(truncatingIfNeeded: saltSeparator.count)] + saltSeparator + secret
        try self.init(id: Hex.encode(Array(Digest.sha256(content).prefix(8))), secret: secret, saltSeparator: saltSeparator)
    }
}
