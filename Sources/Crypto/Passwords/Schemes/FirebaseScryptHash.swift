import Runtime

/// A password hashed by Firebase's variant of scrypt, as `$firebase-scrypt$ln=14,r=8,key=id$salt$hash`.
///
/// scrypt of the password, with the salt separator appended to the salt, gives a key. The hash is the project's signer key, encrypted with
/// it by AES-256-CTR from a counter of zero. <https://github.com/firebase/scrypt>
///
/// With the usual parameters it costs as much as our own hash.
package struct FirebaseScryptHash: PasswordScheme {
    package static let identifiers = ["firebase-scrypt"]

    /// `memoryCost` and `rounds`; Firebase has no parallelization.
    package let parameters: ScryptParameters
    /// Names the ``ImportedHashKey`` with signer key and salt separator.
    private let signerKeyID: String
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// Takes Firebase's hash parameters (`mem_cost` and `rounds`) and what an export has of one account.
    package init(memoryCost: Int, rounds: Int, key: ImportedHashKey, salt: [UInt8], digest: [UInt8]) throws(PasswordHashFault) {
        guard digest.count == key.secret.count else {
            throw .malformed(
                "the hash has \(digest.count) bytes and the signer key \(key.secret.count), where Firebase's have the same length; "
                    + "the signer key must be the bytes that its base64 text stands for")
        }
        try self.init(memoryCost: memoryCost, rounds: rounds, keyID: key.id, salt: salt, digest: digest)
    }

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        try PHCFields.count(fields, is: 3)
        let values = try PHCFields.values(fields[0], named: "ln", "r", "key")
        try self.init(
            memoryCost: try PHCFields.number(values[0]), rounds: try PHCFields.number(values[1]), keyID: values[2],
            salt: try PHCFields.bytes(fields[1]), digest: try PHCFields.bytes(fields[2]))
    }

    private init(memoryCost: Int, rounds: Int, keyID: String, salt: [UInt8], digest: [UInt8]) throws(PasswordHashFault) {
        // The limits of Firebase; a memory cost of 8 with 14 rounds, which is the usual mistake, is beyond them.
        try PasswordHashFault.check("the number of rounds", rounds, in: 1...8)
        try PasswordHashFault.check("the memory cost", memoryCost, in: 1...14)
        try ImportedHashKey.check(id: keyID)
        try PasswordHashFault.check(salt: salt, atLeast: 1, digest: digest)
        parameters = ScryptParameters(log2N: memoryCost, blockSize: rounds)
        (signerKeyID, self.salt, self.digest) = (keyID, salt, digest)
    }

    package var keyID: String? { signerKeyID }

    package var text: String {
        "$firebase-scrypt$ln=\(parameters.log2N),r=\(parameters.blockSize),key=\(signerKeyID)"
            + "$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(digest))"
    }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        let key = try keys.key(signerKeyID)
        let derived = try ScryptHash.derive(password: password, salt: salt + key.saltSeparator, parameters, length: 32)
        let cipher = CipherContext(.aes256CTR, key: derived, nonce: [UInt8](repeating: 0, count: 16), encrypting: true)
        return constantTimeEqual(digest, cipher.update(key.secret))
    }
}
