import Accounts
import HTTP
import Pages
import Projects
import Text
import Web

/// `GET /__/auth/app`: the page that Android's browser opens when the app is not on the device.
struct AppMissing: RawEndpoint {
    static let route = Route(.get, "/__/auth/app", aliases: ["/emulator/auth/app"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["apiKey", "hl"], answers: [.page])

    /// The page's address, with the project's key and the app's language, so that the page shows the project's name.
    static func address(pagesURL: String, _ sdkRequest: SDKRequest) -> String {
        let fields = [(name: "apiKey", value: sdkRequest.apiKey)] + (sdkRequest.language.map { [(name: "hl", value: $0)] } ?? [])
        return pagesURL + route.path + "?" + Form(fields).encoded()
    }

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        if let key = query["apiKey"], let project = context.services.projects.project(apiKey: key, for: request) {
            return project.appPage(.missing, language: query["hl"]?.asString, request)
        }
        let templates = Templates.standard
        return templates.page("app", in: templates.language(for: request, parameter: query["hl"]?.asString), ["isMissing": true])
    }
}
