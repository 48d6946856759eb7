import Runtime

/// A secret that another system made its hashes with, beside the salt of each: Firebase's signer key with the salt separator, or the key of
/// an HMAC. All accounts of one import share it, so a stored hash contains only its id.
package struct ImportedHashKey: Sendable, Equatable, Concealed {
    /// The name of the key in stored hashes: 1 to 64 letters, digits, `.`, `-` and `_`.
    package let id: String
    package let secret: [UInt8]
    /// The bytes that Firebase appends to each salt; empty for other systems.
    package let saltSeparator: [UInt8]

    package init(id: String, secret: [UInt8], saltSeparator: [UInt8] = []) throws(PasswordHashFault) {
        try Self.check(id: id)
        try PasswordHashFault.check("the length of the key in bytes", secret.count, in: 1...1024)
        try PasswordHashFault.check("the length of the salt separator in bytes", saltSeparator.count, in: 0...64)
        (self.id, self.secret, self.saltSeparator) = (id, secret, saltSeparator)
    }

    static func check(id: String) throws(PasswordHashFault) {
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(isAllowed) else {
            throw .malformed("the id of a key must be 1 to 64 letters, digits, dots, hyphens and underscores")
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
        }
    }

    package var description: String { "<key of imported hashes>" }
}

/// The keys of imported hashes that the caller has.
package struct ImportedHashKeys: Sendable, Concealed {
    package static let none = ImportedHashKeys([])

    private let keys: [ImportedHashKey]

    package init(_ keys: [ImportedHashKey]) { self.keys = keys }

    func key(_ id: String) throws(CryptoError) -> ImportedHashKey {
        guard let key = keys.first(where: { $0.id == id }) else { throw .missingKey(id: id) }
        return key
    }

    package var description: String { "<keys of imported hashes>" }
}
