import HTTP
import JSON
import Text
import Web

/// `GET /`: the answer for scripts that wait until an emulator runs.
struct Status: ImmediateEndpoint {
    static let route = Route(.get, "/", access: .development)
    static let content = CallContent(
        answers: [.json(.object([.init("authEmulator", .map(.flag), isRequired: true)]))])

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(json: JSON.object(["authEmulator": ["ready": true]]).bytes())
    }
}
