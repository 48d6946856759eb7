import Crypto
import HTTP
import Runtime
import Text

/// How the server authenticates to the token endpoint. <https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication>
enum UpstreamClientAuthentication: String, Sendable, CaseIterable {
    case basic, post, none
    /// A method that the discovery document lists, `basic` first.
    case auto
    /// An assertion that the client's own key signs (`ClientKey`), so that no secret is shared.
    case privateKeyJwt

    /// The method to use, with `auto` decided.
    func resolved(_ listed: [UTF8Text]?, hasSecret: Bool) -> UpstreamClientAuthentication {
        guard self == .auto else { return self }
        guard hasSecret else { return .none }
        guard let listed, !listed.contains("client_secret_basic") else { return .basic }
        return listed.contains("client_secret_post") ? .post : .basic
    }

    /// Adds the client's name and secret to a request for tokens.
    func add(id: String, secret: Secret?, form: inout Form, headers: inout Headers) {
        switch (self, secret) {
        case (.basic, let secret?), (.auto, let secret?):
            // Encoded as in a form, and then as user and password (RFC 6749 §2.3.1).
            let pair = "\(Self.encoded(id)):\(Self.encoded(secret.reveal()))"
            headers["authorization"] = "Basic \(Base64.encode(Array(pair.utf8)))"
        case (.post, let secret?):
            form.add("client_id", UTF8Text(id))
            form.add("client_secret", UTF8Text(secret.reveal()))
        default:
            form.add("client_id", UTF8Text(id))
        }
    }

    private static func encoded(_ text: String) -> Substring { Form([(name: "", value: text)]).encoded().dropFirst() }
}
