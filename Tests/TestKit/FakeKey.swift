package import Crypto
package import JOSE
package import JSON
import Text

/// A key that signs ID tokens for a fake issuer, valid or not.
package struct FakeKey: Sendable {
    package let id: String
    package let algorithm: Algorithm
    package let key: PrivateKey
    /// Microsoft's binding of a key to an issuer.
    package var issuer: String?

    package init(_ id: String, _ algorithm: Algorithm, _ key: PrivateKey, issuer: String? = nil) {
        self.id = id
        self.algorithm = algorithm
        self.key = key
        self.issuer = issuer
    }

    /// Made once in a process, since generating RSA keys is slow.
    package static func rsa(_ id: String = "rsa") throws -> FakeKey { FakeKey(id, .rs256, try rsaKey.get()) }
    package static func otherRSA(_ id: String = "rsa") throws -> FakeKey { FakeKey(id, .rs256, try otherRSAKey.get()) }
    package static func ec(_ id: String = "ec") throws -> FakeKey { FakeKey(id, .es256, try .generate(.p256)) }
    package static func ed25519(_ id: String = "ed") throws -> FakeKey { FakeKey(id, .edDSA, try .generate(.ed25519)) }

    private static let rsaKey = Result { try PrivateKey.generate(.rsa()) }
    private static let otherRSAKey = Result { try PrivateKey.generate(.rsa()) }

    /// The key in the form of a key set.
    package var json: JSON {
        var json = JWK(key: key.publicKey, kid: UTF8Text(id), algorithm: algorithm).json.object ?? [:]
        json["issuer"] = issuer.map(JSON.string)
        return .object(json)
    }

    /// A token with exactly these `claims`, valid or not. `header` adds to the usual header, or replaces parts of it.
    package func sign(_ claims: JSON, header: JSON.Object = [:]) throws -> String { try sign(Array(claims.text().utf8), header: header) }

    package func sign(_ claims: [UInt8], header: JSON.Object = [:]) throws -> String {
        var fields: JSON.Object = ["alg": .string(algorithm.rawValue), "kid": .string(id), "typ": "JWT"]
        for member in header { fields[member.name] = member.value == .null ? .none : member.value }
        let signed = "\(Base64URL.encode(JSON.object(fields).bytes())).\(Base64URL.encode(claims))"
        return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8), algorithm.scheme)))"
    }
}
