/// The digests that other systems used for passwords though they are too fast for it.
package enum FastDigest: String, Sendable, CaseIterable {
    case md5, sha1, sha256, sha512

    var algorithm: DigestAlgorithm {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }

    var hmac: HMAC {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// How another system made a digest of a password and a salt, without the digest itself.
package struct SaltedDigest: Sendable, Equatable {
    /// The order of the bytes that are hashed. Systems differ in that, so there is no default.
    package enum Order: String, Sendable, CaseIterable {
        case saltFirst = "salt-password"
        case passwordFirst = "password-salt"
    }

    private enum Function: Equatable {
        /// The digest of the two, then `rounds - 1` times the digest of the digest's bytes.
        case plain(rounds: Int)
        case hmac(keyID: String)
    }

    package let digest: FastDigest
    package let order: Order
    package let salt: [UInt8]
    private let function: Function

    /// - Parameter rounds: how often the digest is applied; Firebase's 0 for MD5 means once, too.
    package init(_ digest: FastDigest, rounds: Int, order: Order, salt: [UInt8]) throws(PasswordHashFault) {
        try PasswordHashFault.check("the number of rounds", rounds, in: (digest == .md5 ? 0 : 1)...8192)
        try self.init(digest, .plain(rounds: max(1, rounds)), order, salt)
    }

    package init(hmac digest: FastDigest, key: ImportedHashKey, order: Order, salt: [UInt8]) throws(PasswordHashFault) {
        try self.init(digest, .hmac(keyID: key.id), order, salt)
    }

    private init(_ digest: FastDigest, _ function: Function, _ order: Order, _ salt: [UInt8]) throws(PasswordHashFault) {
        try PasswordHashFault.check("the length of the salt in bytes", salt.count, in: 0...128)
        (self.digest, self.function, self.order, self.salt) = (digest, function, order, salt)
    }

    /// Reads `sha256$order=salt-password,rounds=1$salt`, or `hmac-sha256$order=salt-password,key=id$salt`.
    init(fields: ArraySlice<Substring>) throws(PasswordHashFault) {
        let fields = Array(fields)
        try PHCFields.count(fields, is: 3)
        let isHMAC = fields[0].hasPrefix(Self.hmacPrefix)
        let values = try PHCFields.values(fields[1], named: "order", isHMAC ? "key" : "rounds")
        guard let digest = FastDigest(rawValue: String(isHMAC ? fields[0].dropFirst(Self.hmacPrefix.count) : fields[0])),
            let order = Order(rawValue: values[0])
        else { throw .unsupported("the wrapped digest, or its order of salt and password, is not supported") }
        let salt = try PHCFields.bytes(fields[2])
        if isHMAC {
            try ImportedHashKey.check(id: values[1])
            try self.init(digest, .hmac(keyID: values[1]), order, salt)
        } else {
            try self.init(digest, rounds: try PHCFields.number(values[1]), order: order, salt: salt)
        }
    }

    private static let hmacPrefix = "hmac-"

    var fields: String {
        let salt = Base64.encodeUnpadded(salt)
        return switch function {
        case .plain(let rounds): "\(digest.rawValue)$order=\(order.rawValue),rounds=\(rounds)$\(salt)"
        case .hmac(let keyID): "\(Self.hmacPrefix)\(digest.rawValue)$order=\(order.rawValue),key=\(keyID)$\(salt)"
        }
    }

    /// The id of the key of an HMAC.
    var keyID: String? {
        guard case .hmac(let keyID) = function else { return nil }
        return keyID
    }

    /// The digest's bytes: files have them as they are, or as hexadecimal digits.
    package func bytes(of stored: [UInt8]) throws(PasswordHashFault) -> [UInt8] {
        let length = digest.algorithm.length
        if stored.count == length { return stored }
        if stored.count == 2 * length, let bytes = Hex.decode(String(decoding: stored, as: UTF8.self)) { return bytes }
        throw .malformed(
            "the hash has \(stored.count) bytes; \(digest.rawValue) has \(length), or \(2 * length) as hexadecimal digits")
    }

    func of(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> [UInt8] {
        let message = order == .saltFirst ? salt + password : password + salt
        switch function {
        case .plain(let rounds): return (0..<rounds).reduce(message) { bytes, _ in digest.algorithm.digest(bytes) }
        case .hmac(let keyID): return digest.hmac.authenticate(message, key: try keys.key(keyID).secret)
        }
    }
}
