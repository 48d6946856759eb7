package import Crypto
import Glibc
package import JSON
package import Text

/// Makes tokens with one key. The header is written once, so that a token costs little more than its signature.
package struct Signer: Sendable {
    package let algorithm: Algorithm
    private let key: PrivateKey
    /// The members of the header between `alg` and `typ`, by which the reader finds the key.
    private let naming: JSON.Object
    private let usualStart: [UInt8]
    /// The room for the dot, the signature in base64url, and a little for rounding.
    private let roomForSignature: Int

    package init(key: PrivateKey, kid: String, algorithm: Algorithm) {
        self.init(key: key, naming: ["kid": .string(kid)], algorithm: algorithm)
    }

    /// - Parameter naming: the members of the header by which the reader finds the key: `kid`, or the thumbprint of its certificate.
    package init(key: PrivateKey, naming: JSON.Object, algorithm: Algorithm) {
        self.key = key
        self.naming = naming
        self.algorithm = algorithm
        usualStart = Self.start(naming, algorithm: algorithm, type: "JWT")
        roomForSignature = max(key.publicKey.bits / 6, 86) + 8
    }

    /// The compact token with `claims`, the bytes of a JSON object. `type` becomes `typ` (`at+jwt` for access tokens, RFC 9068).
    /// Throws when the key is of another kind than the algorithm.
    package func sign(claims: [UInt8], type: String = "JWT") throws(CryptoError) -> String {
        let start = type == "JWT" ? usualStart : Self.start(naming, algorithm: algorithm, type: type)
        var token: [UInt8] = []
        token.reserveCapacity(start.count + claims.count * 4 / 3 + roomForSignature)
        token += start
        Base64URL.append(claims, to: &token)
        let signature = try key.sign(token, algorithm.scheme)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The claims of a token of the usual type that this signer made, as bytes; `nil` for any other text.
    ///
    /// The header is not read but compared: it is the same in all of them. So a change of it refuses the tokens that were issued before.
    package func claims(of token: UTF8Text) -> [UInt8]? {
        token.withBytes { token in
            guard token.count <= JWS.maxBytes, token.starts(with: usualStart), let base = token.baseAddress,
                let found = memchr(base + usualStart.count, Int32(UInt8(ascii: ".")), token.count - usualStart.count)
            else { return nil }
            let dot = UnsafeRawPointer(found) - base
            guard let signature = Base64URL.decodeStrict(UnsafeRawBufferPointer(rebasing: token[(dot + 1)...])),
                key.publicKey.verify(signature, of: UnsafeRawBufferPointer(rebasing: token[..<dot]), algorithm.scheme)
            else { return nil }
            return Base64URL.decodeStrict(UnsafeRawBufferPointer(rebasing: token[usualStart.count..<dot]))
        }
    }

    private static func start(_ naming: JSON.Object, algorithm: Algorithm, type: String) -> [UInt8] {
        var header: JSON.Object = ["alg": .string(algorithm.rawValue)]
        for member in naming { header[member.name] = member.value }
        header["typ"] = .string(type)
        var start: [UInt8] = []
        Base64URL.append(JSON.object(header).bytes(), to: &start)
        start.append(UInt8(ascii: "."))
        return start
    }
}
