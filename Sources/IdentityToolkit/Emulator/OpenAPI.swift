import HTTP
import JSON
import Web

/// `GET /emulator/openapi.json`: describes every call of this server, where the Auth emulator describes its own.
struct OpenAPI: RawEndpoint {
    static let route = Route(.get, "/emulator/openapi.json", access: .development)
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(answers: [.json(.map(.anything))])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        Response(json: try context.services.description())
    }
}
