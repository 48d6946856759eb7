package import Crypto
import JSON
import Text

/// Makes tokens with one key. The header is written once, so that a token costs little more than its signature.
package struct Signer: Sendable {
    package let kid: String
    package let algorithm: Algorithm
    private let key: PrivateKey
    private let usualStart: [UInt8]
    /// The room for the dot, the signature in base64url, and a little for rounding.
    private let roomForSignature: Int

    package init(key: PrivateKey, kid: String, algorithm: Algorithm) {
        self.key = key
        self.kid = kid
        self.algorithm = algorithm
        usualStart = Self.start(kid: kid, algorithm: algorithm, type: "JWT")
        roomForSignature = max(key.publicKey.bits / 6, 86) + 8
    }

    /// The compact token with `claims`, the bytes of a JSON object. `type` becomes `typ` (`at+jwt` for access tokens, RFC 9068).
    /// Throws when the key is of another kind than the algorithm.
    package func sign(claims: [UInt8], type: String = "JWT") throws(CryptoError) -> String {
        let start = type == "JWT" ? usualStart : Self.start(kid: kid, algorithm: algorithm, type: type)
        var token: [UInt8] = []
        token.reserveCapacity(start.count + claims.count * 4 / 3 + roomForSignature)
        token += start
        Base64URL.append(claims, to: &token)
        let signature = try key.sign(token, algorithm.scheme)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    private static func start(kid: String, algorithm: Algorithm, type: String) -> [UInt8] {
        let header: JSON = ["alg": .string(algorithm.rawValue), "kid": .string(kid), "typ": .string(type)]
        var start: [UInt8] = []
        Base64URL.append(header.bytes(), to: &start)
        start.append(UInt8(ascii: "."))
        return start
    }
}
