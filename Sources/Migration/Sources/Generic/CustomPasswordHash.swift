import Accounts
import Crypto
import JSON
import Text

/// A password hash as Auth0's bulk import describes it: `custom_password_hash`.
/// <https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples#supported-hashing-algorithms>
struct CustomPasswordHash {
    let password: ImportedPassword

    private static let digests: [UTF8Text: FastDigest] = ["md5": .md5, "sha1": .sha1, "sha256": .sha256, "sha512": .sha512]

    /// - Parameter keys: gets the key of an HMAC.
    init(_ members: RecordMembers, _ keys: inout ImportedKeys) throws(ImportFault) {
        do throws(PasswordHashFault) {
            try self.init(Parts(members), &keys)
        } catch { throw ImportFault(.invalidHash, "custom_password_hash: \(error)") }
    }

    private init(_ parts: Parts, _ keys: inout ImportedKeys) throws(PasswordHashFault) {
        switch parts.algorithm {
        case "bcrypt", "argon2": password = .hash(try PasswordHash(reading: try parts.hashText))
        case "pbkdf2": password = .hash(try Self.pbkdf2(try parts.hashText))
        case "scrypt": password = .hash(try Self.scrypt(parts))
        case "hmac":
            guard let digest = Self.digests[try parts.text(parts.hash, "digest")] else {
                throw .unsupported("only HMACs with md5, sha1, sha256 and sha512 are supported")
            }
            let key = try keys.add(secret: try parts.bytes(try parts.object(parts.hash, "key"), "utf8"), saltSeparator: [])
            let inner = try SaltedDigest(hmac: digest, key: key, order: try parts.order, salt: try parts.saltBytes)
            password = .digest(inner, try inner.bytes(of: try parts.hashBytes))
        case let name:
            guard let digest = Self.digests[name] else {
                throw .unsupported("hashes of \(name.prefix(bytes: 32)) are not supported; these people need a new password")
            }
            let inner = try SaltedDigest(digest, rounds: 1, order: try parts.order, salt: try parts.saltBytes)
            password = .digest(inner, try inner.bytes(of: try parts.hashBytes))
        }
    }

    /// `$pbkdf2-sha256$i=100000,l=32$salt$hash`, with or without the first `$` and the length.
    private static func pbkdf2(_ text: String) throws(PasswordHashFault) -> PasswordHash {
        var fields = text.split(separator: "$", omittingEmptySubsequences: false)
        if fields.first?.isEmpty ?? false { fields.removeFirst() }
        guard fields.count == 4 else {
            throw .malformed("a hash of pbkdf2 must be in the form of PHC, $pbkdf2-sha256$i=100000,l=32$salt$hash")
        }
        let parameters = fields[1].split(separator: ",", omittingEmptySubsequences: false)
        let read = try PasswordHash(reading: "$\(fields[0])$\(parameters[0])$\(fields[2])$\(fields[3])")
        guard parameters.count == 1 || parameters.count == 2 && parameters[1] == "l=\(read.digest.count)" else {
            throw .malformed("the hash has \(read.digest.count) bytes, and its parameter l says another length")
        }
        return read
    }

    /// The members `cost` (N), `blockSize`, `parallelization` and `keylen`, or the form of PHC.
    private static func scrypt(_ parts: Parts) throws(PasswordHashFault) -> PasswordHash {
        if try parts.hashText.utf8.first == UInt8(ascii: "$") { return try PasswordHash(reading: try parts.hashText) }
        let cost = try parts.number("cost")
        guard (2...1 << 24).contains(cost), cost & (cost - 1) == 0 else { throw .malformed("cost must be scrypt's N, a power of two") }
        let hash = try parts.hashBytes
        guard try parts.number("keylen") == hash.count else {
            throw .malformed("the hash has \(hash.count) bytes, and keylen says another length")
        }
        let parameters = ScryptParameters(
            log2N: cost.trailingZeroBitCount, blockSize: try parts.number("blockSize"), parallelization: try parts.number("parallelization")
        )
        return PasswordHash(try ScryptHash(parameters: parameters, salt: try parts.saltBytes, digest: hash))
    }
}

/// The members of `custom_password_hash`.
private struct Parts {
    let algorithm: UTF8Text
    let hash: JSON.Object
    private let all: JSON.Object
    private let salt: JSON.Object?

    init(_ members: RecordMembers) throws(PasswordHashFault) {
        all = members.object
        guard let name = members["algorithm"]?.string else { throw .malformed("algorithm is missing") }
        guard let hash = members["hash"]?.object else { throw .malformed("hash must be an object") }
        if let encoding = members["password"]?["encoding"]?.string, encoding != "utf8", encoding != "ascii" {
            throw .unsupported("only passwords in utf8 are supported")
        }
        (algorithm, self.hash, salt) = (name, hash, members["salt"]?.object)
    }

    var hashText: String { get throws(PasswordHashFault) { try text(hash, "value").asString } }

    /// Of digests, which are in hexadecimal digits or base64.
    var hashBytes: [UInt8] { get throws(PasswordHashFault) { try bytes(hash, nil) } }

    var saltBytes: [UInt8] {
        get throws(PasswordHashFault) { if let salt { try bytes(salt, "utf8") } else { [] } }
    }

    /// Where the salt stands. Without a salt, both places are the same.
    var order: SaltedDigest.Order {
        get throws(PasswordHashFault) {
            guard let salt else { return .saltFirst }
            switch salt["position"]?.string {
            case "prefix": return .saltFirst
            case "suffix": return .passwordFirst
            default: throw .malformed("salt.position must be prefix or suffix")
            }
        }
    }

    func text(_ object: JSON.Object, _ name: UTF8Text) throws(PasswordHashFault) -> UTF8Text {
        guard let text = object[name]?.string else { throw .malformed("\(name) is missing or not a text") }
        return text
    }

    func object(_ outer: JSON.Object, _ name: UTF8Text) throws(PasswordHashFault) -> JSON.Object {
        guard let object = outer[name]?.object else { throw .malformed("\(name) is missing or not an object") }
        return object
    }

    func number(_ name: UTF8Text) throws(PasswordHashFault) -> Int {
        guard let number = all[name]?.integer.flatMap({ Int32(exactly: $0) }) else {
            throw .malformed("\(name) is missing or not a number")
        }
        return Int(number)
    }

    /// The member `value`, in the `encoding` beside it.
    /// - Parameter usual: where `encoding` is absent; `nil` if it must be there.
    func bytes(_ object: JSON.Object, _ usual: UTF8Text?) throws(PasswordHashFault) -> [UInt8] {
        let value = try text(object, "value").asString
        let bytes: [UInt8]? =
            switch object["encoding"]?.string ?? usual {
            case "base64": Base64.decode(value)
            case "hex": Hex.decode(value)
            case "utf8": Array(value.utf8)
            default: nil
            }
        guard let bytes else { throw .malformed("a value is not in its encoding, which must be base64, hex or utf8") }
        return bytes
    }
}
