import Accounts
import HTTP
import Pages
import Projects
import Text
import Web

/// The answer of a request on its way to the relying party: the redirect URI with the fields of the answer, in the request's response mode.
/// <https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html>, <https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html>
struct AuthorizationResponse {
    let reply: AuthorizationReply
    let fields: [(name: String, value: String)]

    init(code: String, _ reply: AuthorizationReply) {
        self.init([("code", code)], reply)
    }

    /// For an app's own page, whose SDK signs in with the token.
    init(token: AppToken, _ reply: AuthorizationReply) {
        self.init([("token", token.text)], reply)
    }

    init(_ failure: Failure, _ reply: AuthorizationReply) {
        self.init([("error", failure.oauthError), ("error_description", failure.errorDescription)], reply)
    }

    private init(_ fields: [(name: String, value: String)], _ reply: AuthorizationReply) {
        self.reply = reply
        self.fields = fields + (reply.state.map { [("state", $0)] } ?? []) + [("iss", reply.issuer)]
    }

    /// The response to the browser. After a form, the browser must go on with a GET.
    ///
    /// - Parameter language: what the relying party asked for.
    func response(to request: Request, of project: Project, language: String?) -> Response {
        if let location { return RedirectResponse.to(location, status: request.method == .post ? 303 : 302) }
        return project.templates.page(
            "formpost", in: project.templates.language(for: request, parameter: language),
            [
                "action": .text(reply.redirectURI),
                "fields": .list(fields.map { ["name": .text($0.name), "value": .text($0.value)] }),
            ],
            allowing: [.scripts, .formsToAnywhere], script: PageScript.formPost.link)
    }

    /// The address to which the browser is redirected; `nil` when it has to send a form.
    var location: String? {
        let form = Form(fields).encoded()
        return switch reply.mode {
        case .query: reply.redirectURI + (UTF8Text(reply.redirectURI).contains(UInt8(ascii: "?")) ? "&" : "?") + form
        case .fragment: reply.redirectURI + "#" + form
        case .formPost: nil
        }
    }
}

extension PageScript {
    static let formPost = PageScript(at: "/__/openid/form-post.js", PackageResources.form_post_js)
}
