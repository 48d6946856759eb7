import HTTP
import Web

/// `GET /__/auth/app`: where Android's browser goes when the app to be opened is not on the device.
struct AppMissing: RawEndpoint {
    static let route = Route(.get, "/__/auth/app", aliases: ["/emulator/auth/app"], access: .anyone)
    static let tongue = Tongue.page

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let templates = Templates.standard
        return templates.page("app", in: templates.language(for: request), ["isMissing": true])
    }
}
