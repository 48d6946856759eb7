import Crypto
import JOSE
import JSON
import Text

/// Tokens and keys for tests. They are valid unless the test changes them.
enum Samples {
    static let claims = #"{"iss":"https://issuer.example","sub":"1"}"#

    static func jwk(_ key: PrivateKey, kid: UTF8Text? = "k1", _ algorithm: Algorithm?) -> JWK {
        JWK(key: key.publicKey, kid: kid, algorithm: algorithm)
    }

    static func set(_ entries: JSON...) -> JWKSet { JWKSet(["keys": .array(entries)]) }

    static func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// A token with exactly this header and these claims, signed with `scheme`, even if the header says something else.
    static func token(header: String, claims: String = claims, key: PrivateKey, _ scheme: SignatureScheme) throws -> String {
        let signed = encoded(header) + "." + encoded(claims)
        return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8), scheme))
    }
}

extension JSON {
    func with(_ name: UTF8Text, _ value: JSON?) -> JSON {
        guard case .object(var object) = self else { return self }
        object[name] = value
        return .object(object)
    }
}
