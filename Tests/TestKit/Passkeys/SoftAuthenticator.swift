package import Crypto
package import JSON
import Text
package import WebAuthn

/// An authenticator of the tests, with everything that a dishonest one could change.
package struct SoftAuthenticator {
    package static let rpID = "example.com"
    package static let origin = "https://app.example.com"
    package static let challenge = [UInt8](repeating: 7, count: 33)

    package let algorithm: CredentialAlgorithm
    package let key: PrivateKey
    package var credentialID = [UInt8](1...16)
    package var userHandle: [UInt8]? = [UInt8](repeating: 3, count: 24)

    package var rpID = Self.rpID
    package var flags: UInt8 = 0x5D
    package var signCount: UInt32 = 0
    package var clientData: JSON
    package var aaguid = [UInt8](repeating: 9, count: 16)
    /// Stands behind the authenticator data.
    package var trailing: [UInt8] = []
    /// The public key as COSE, where it is not that of `key`.
    package var cose: [UInt8]?
    package var format = "none"
    package var statement: (SoftAuthenticator, _ signed: [UInt8]) throws -> [UInt8] = { _, _ in CBORText.emptyMap }

    package init(_ algorithm: CredentialAlgorithm = .es256, _ type: String = "webauthn.create") throws {
        self.algorithm = algorithm
        key = try Self.keys[algorithm] ?? PrivateKey.generate(.p256)
        clientData = [
            "type": .string(type), "challenge": .string(Base64URL.encode(Self.challenge)), "origin": .string(Self.origin),
            "crossOrigin": false,
        ]
        if type == "webauthn.get" { flags = 0x1D }
    }

    private static let keys: [CredentialAlgorithm: PrivateKey] = {
        let kinds: [(CredentialAlgorithm, KeyAlgorithm)] = [(.es256, .p256), (.ed25519, .ed25519), (.rs256, .rsa())]
        return kinds.reduce(into: [:]) { keys, kind in keys[kind.0] = try? PrivateKey.generate(kind.1) }
    }()

    package var publicKey: [UInt8] { cose ?? CBORText.key(key.publicKey.components, algorithm.rawValue) }

    package var authenticatorData: [UInt8] {
        var data = Digest.sha256(Array(rpID.utf8)) + [flags] + (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * $0)) }
        if flags & 0x40 != 0 {
            data += aaguid + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID + publicKey
        }
        return data + trailing
    }

    package func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        switch algorithm {
        case .es256: try CBORText.der(key.sign(bytes, .es256))
        case .ed25519: try key.sign(bytes, .edDSA)
        case .rs256: try key.sign(bytes, .rs256)
        }
    }

    package func attestationObject() throws -> [UInt8] {
        let data = authenticatorData
        let statement = try statement(self, data + Digest.sha256(clientData.bytes()))
        return CBORText.map([
            (CBORText.text("fmt"), CBORText.text(format)), (CBORText.text("attStmt"), statement),
            (CBORText.text("authData"), CBORText.bytes(data)),
        ])
    }

    package func registration() throws -> JSON {
        try response(["clientDataJSON": clientData.bytes(), "attestationObject": attestationObject()])
    }

    package func assertion() throws -> JSON {
        let data = authenticatorData
        var members = ["clientDataJSON": clientData.bytes(), "authenticatorData": data]
        members["signature"] = try sign(data + Digest.sha256(clientData.bytes()))
        members["userHandle"] = userHandle
        return response(members)
    }

    package func response(_ members: [String: [UInt8]]) -> JSON {
        let id = JSON.string(Base64URL.encode(credentialID))
        return [
            "id": id, "rawId": id, "type": "public-key",
            "response": .object(JSON.Object(members.map { (UTF8Text($0), .string(Base64URL.encode($1))) })),
        ]
    }
}

/// Writes CBOR, COSE and DER for the tests.
package enum CBORText {
    package static func head(_ kind: UInt8, _ value: Int) -> [UInt8] {
        switch value {
        case ..<24: [kind << 5 | UInt8(value)]
        case ..<256: [kind << 5 | 24, UInt8(value)]
        default: [kind << 5 | 25, UInt8(value >> 8), UInt8(value & 0xFF)]
        }
    }

    package static func integer(_ value: Int64) -> [UInt8] { value < 0 ? head(1, Int(-1 - value)) : head(0, Int(value)) }
    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    package static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }
    package static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.joined() }
    package static let emptyMap: [UInt8] = [0xA0]
    package static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] { head(5, members.count) + members.flatMap { $0 + $1 } }
    package static func map(_ members: [(Int64, [UInt8])]) -> [UInt8] { map(members.map { (integer($0), $1) }) }

    package static func key(_ components: KeyComponents, _ algorithm: Int64) -> [UInt8] {
        switch components {
        case .rsa(let modulus, let exponent): map([(1, integer(3)), (3, integer(algorithm)), (-1, bytes(modulus)), (-2, bytes(exponent))])
        case .p256(let x, let y):
            map([(1, integer(2)), (3, integer(algorithm)), (-1, integer(1)), (-2, bytes(x)), (-3, bytes(y))])
        case .ed25519(let point): map([(1, integer(1)), (3, integer(algorithm)), (-1, integer(6)), (-2, bytes(point))])
        }
    }

    package static func der(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw[..<32], raw[32...]].flatMap { part -> [UInt8] in
            let digits = part.drop { $0 == 0 }
            let number = (digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits)
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
