import Accounts
import Crypto
import HTTP
import Runtime
import TestApp
import TestKit
import Text

@testable import Console

/// A browser at the console of a `TestApp`: it keeps cookies, and sends what browsers send with requests of the page's own site.
final class ConsoleBrowser {
    static let settings = """
        console:
          listen: 127.0.0.1:8081
          publicURL: https://console.example.com
          provider: {oidc.staff: {issuer: https://staff.example.com, clientId: c, clientSecret: {env: MASTER_KEY}}}
          operators:
            - {name: viewer, subject: s-viewer, role: viewer}
            - {name: support, subject: s-support, role: support}
            - {name: admin, subject: s-admin, role: admin, email: admin@example.com}
            - {name: demo-only, subject: s-demo, role: admin, projects: [demo]}
        """
    let app: TestApp
    var cookie: String?
    /// The cookie of the sign-in page, by which an answer of a passkey is the browser's own.
    private var passkeyCookie: String?
    /// What the browser says of where its requests come from.
    var site: String? = "same-origin"
    /// What the browser says that it will do with an answer.
    var destination: String?
    var peer = Address("203.0.113.9") ?? .loopback
    var host = "console.example.com"
    /// The language that the browser asks for.
    var language: String?

    init(_ app: TestApp) { self.app = app }

    /// Has a session as this operator's sign-in at the provider makes one.
    func signIn(as name: String) async throws {
        let person = OperatorPerson(issuer: "https://staff.example.com", subject: name == "demo-only" ? "s-demo" : "s-\(name)")
        let session = try await app.accounts.operators.sessions.begin(name, person, replacing: [], from: client)
        cookie = session.cookie
    }

    var client: Session.ClientInfo { Session.ClientInfo(userAgent: "Test", address: peer.description, kind: .browser) }

    func get(_ path: String) async -> Response { await send(.get, path) }

    /// - Parameter token: `nil` for the one that the page has.
    func post(_ path: String, _ form: Form = [:], token: String? = nil) async -> Response {
        var form = form
        form.add("token", UTF8Text(token ?? self.token(for: path)))
        return await send(.post, path, Array(form.encoded().utf8))
    }

    /// The token that the console puts into the form of this address, for this browser's session.
    func token(for path: String) -> String {
        guard let secret = cookie else { return "" }
        return session(secret).formToken(for: path)
    }

    private func session(_ cookie: String) -> OperatorSession {
        OperatorSession(
            secret: Base64URL.decodeStrict(cookie) ?? [], operatorName: "", person: nil, reason: nil, signedInAt: Clock.system.now())
    }

    /// A request of this browser.
    func request(_ method: HTTP.Method, _ path: String, _ body: [UInt8] = []) -> Request {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        var headers: Headers = ["host": host]
        let cookies = [("", cookie), ("_passkey", passkeyCookie)].compactMap { name, value in
            value.map { "__Host-gatehouse_console\(name)=\($0)" }
        }
        if !cookies.isEmpty { headers.add("cookie", cookies.joined(separator: "; ")) }
        if let site { headers.add("sec-fetch-site", site) }
        if let destination { headers.add("sec-fetch-dest", destination) }
        if let language { headers.add("accept-language", language) }
        if method == .post { headers.add("content-type", "application/x-www-form-urlencoded") }
        return Request(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : "", headers: headers, body: body, peer: peer,
            connectedFrom: peer)
    }

    func send(_ method: HTTP.Method, _ path: String, _ body: [UInt8] = []) async -> Response {
        let response = await app.console(request(method, path, body))
        for header in response.headers.values("set-cookie") where header.hasPrefix("__Host-gatehouse_console=") {
            cookie = String(header.asString.dropFirst("__Host-gatehouse_console=".count).prefix { $0 != ";" })
        }
        for header in response.headers.values("set-cookie") where header.hasPrefix("__Host-gatehouse_console_passkey=") {
            passkeyCookie = String(header.asString.dropFirst("__Host-gatehouse_console_passkey=".count).prefix { $0 != ";" })
        }
        return response
    }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
