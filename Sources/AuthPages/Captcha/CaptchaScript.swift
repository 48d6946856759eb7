import Captcha
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `GET /__/auth/captcha.js`: defines `grecaptcha` for an app's page over the captcha service of the project whose API key the address has.
///
/// The script is the same for all projects. The project's settings stand in front of it, since the page can have a policy that lets no script
/// ask for them.
struct CaptchaScript: RawEndpoint {
    static let route = Route(.get, "/__/auth/captcha.js", aliases: ["/emulator/auth/captcha.js"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["apiKey"], answers: [.content("text/javascript")])

    /// The address of the script for a project.
    static func link(apiKey: String) -> String { "\(route.path)?\(Form([(name: "apiKey", value: apiKey)]).encoded())" }

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        guard let project = context.services.projects.project(apiKey: query["apiKey"] ?? "", for: request) else {
            throw Failure.linkWithoutAPIKey
        }
        var settings: JSON.Object = ["kind": "none"]
        if let widget = project.settings.phone.captcha.service?.widget {
            settings = ["kind": .string(widget.kind), "siteKey": .string(widget.siteKey), "script": .string(widget.script)]
        }
        return Response(
            headers: [
                "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=300",
                "x-content-type-options": "nosniff",
                "cross-origin-resource-policy": "cross-origin",
            ], body: Array("window.gatehouseCaptcha=\(JSON.object(settings).text());\n".utf8) + PageScript.captcha)
    }
}
