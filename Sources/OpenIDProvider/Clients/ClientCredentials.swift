import Crypto
import HTTP
import Text
import Web

/// Credentials that a relying party sends, in one of the ways of OpenID Connect. They are not checked yet.
/// <https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication>
enum ClientCredentials: Equatable {
    /// Its id alone.
    case id(UTF8Text)
    /// `client_secret_basic`, in the header `Authorization`. `nil` when the header cannot be read.
    case basic(Pair?)
    /// `client_secret_post`, in the form.
    case post(Pair)
    /// `private_key_jwt`, with the id from the form, if it is there.
    case assertion(UTF8Text, id: UTF8Text?)

    struct Pair: Equatable {
        let id: UTF8Text
        let secret: UTF8Text
    }

    /// The fields of a form in which a client proves itself, besides `client_id`.
    static let parameters = ["client_secret", "client_assertion", "client_assertion_type"]

    private static let assertionType: UTF8Text = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Throws `invalid_request` for credentials of two kinds, and for a call without any.
    init(authorization: [UTF8Text], form: Form) throws(Failure) {
        let (id, secret) = (form.filled("client_id"), form.filled("client_secret"))
        let (assertion, type) = (form.filled("client_assertion"), form.filled("client_assertion_type"))
        guard authorization.count <= 1, (authorization.isEmpty ? 0 : 1) + (secret == nil ? 0 : 1) + (assertion == nil ? 0 : 1) <= 1 else {
            throw .invalidRequest("The request authenticates the client in more than one way.")
        }
        if let header = authorization.first {
            let pair = Self.pair(header)
            if let id, let pair, pair.id != id { throw .invalidRequest("The client_id is not the one of the Authorization header.") }
            self = .basic(pair)
        } else if let assertion {
            guard type == Self.assertionType else { throw .invalidRequest("The client_assertion_type is unknown.") }
            self = .assertion(assertion, id: id)
        } else {
            guard let id else { throw .invalidRequest("The parameter client_id is missing.") }
            self = secret.map { .post(Pair(id: id, secret: $0)) } ?? .id(id)
        }
    }

    /// Reads `Basic …`: id and secret are form-encoded before they are joined. <https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1>
    private static func pair(_ header: UTF8Text) -> Pair? {
        let parts = header.split(maxSplits: 1) { $0 == 0x20 }
        guard parts.count == 2, parts[0].asciiLowercased == "basic", let bytes = Base64.decode(parts[1].asString),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = PercentEncoding.decode(bytes[..<colon], plusIsSpace: true).flatMap({ UTF8Text(validating: $0) }),
            let secret = PercentEncoding.decode(bytes[(colon + 1)...], plusIsSpace: true).flatMap({ UTF8Text(validating: $0) })
        else { return nil }
        return Pair(id: id, secret: secret)
    }
}

extension Form {
    /// The value of a parameter; `nil` when it is absent or empty, which mean the same (RFC 6749 §3.2).
    func filled(_ name: UTF8Text) -> UTF8Text? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
