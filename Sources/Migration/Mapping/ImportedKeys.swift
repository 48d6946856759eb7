package import Crypto

/// The keys that the hashes of a source need, each once.
package struct ImportedKeys: Sendable {
    package private(set) var all: [ImportedHashKey] = []

    package init() {}

    /// The key of that content, under the id that it has everywhere.
    mutating func add(secret: [UInt8], saltSeparator: [UInt8]) throws(PasswordHashFault) -> ImportedHashKey {
        if let known = all.first(where: { $0.secret == secret && $0.saltSeparator == saltSeparator }) { return known }
        let key = try ImportedHashKey(derivingIDFrom: secret, saltSeparator: saltSeparator)
        all.append(key)
        return key
    }
}
