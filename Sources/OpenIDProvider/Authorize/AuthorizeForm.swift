import HTTP
import ProjectSettings
import Text
import Web

/// The parameters of an authorization request, as they were sent: by query or by form, with the same meaning.
/// <https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest>
struct AuthorizeForm: Sendable {
    private var form: Form

    /// Bytes.
    static let longest = 16 * 1024

    init(_ form: Form) { self.form = form }

    /// The form of a call whose client has proved who it is, by any method.
    init(_ form: Form, of client: OAuthClient) {
        self.form = form
        if form["client_id"] == nil { self.form.add("client_id", UTF8Text(client.id)) }
    }

    /// Throws when the bytes are too many, or are not a form.
    static func reading(_ request: Request) throws(Failure) -> AuthorizeForm {
        if request.method == .post {
            guard request.isForm else { throw .invalidAddress("The request is not a form (application/x-www-form-urlencoded).") }
            guard request.body.count <= longest else { throw .invalidAddress("The request is too long.") }
            return AuthorizeForm(try checked(request.body))
        }
        guard request.query.utf8.count <= longest else { throw .invalidAddress("The request is too long.") }
        return AuthorizeForm(try checked(Array(request.query.utf8)))
    }

    private static func checked(_ bytes: [UInt8]) throws(Failure) -> Form {
        guard let form = Form(strict: bytes) else {
            throw .invalidAddress("The request is malformed: its parameters must be form-encoded UTF-8.")
        }
        return form
    }

    /// The value of a parameter; `nil` when it is absent, empty (RFC 6749 §3.1) or repeated.
    subscript(name: UTF8Text) -> UTF8Text? {
        let values = form.all(name)
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return value
    }

    /// Whether a parameter is given more than once.
    func isRepeated(_ name: UTF8Text) -> Bool { form.all(name).count > 1 }

    /// The first parameter of ours that is given more than once. Unknown ones are ignored, however often they come.
    var repeated: UTF8Text? { Self.names.first(where: isRepeated) }

    private static let names = parameters.map { UTF8Text($0) }.filter { $0 != "client_id" && $0 != "redirect_uri" }

    /// The parameters of a request.
    static let parameters = [
        "client_id", "redirect_uri", "state", "response_type", "response_mode", "scope", "nonce", "code_challenge", "code_challenge_method",
        "prompt", "max_age",
        "login_hint", "domain_hint", "ui_locales", "claims_locales", "acr_values", "display", "claims", "id_token_hint", "request",
        "request_uri", "client_info",
    ]
}
