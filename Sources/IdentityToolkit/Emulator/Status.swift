import HTTP
import JSON
import Text
import Web

/// `GET /`: what scripts ask that wait for an emulator.
struct Status: ImmediateEndpoint {
    static let route = Route(.get, "/", access: .development)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(json: JSON.object(["authEmulator": ["ready": true]]).bytes())
    }
}
