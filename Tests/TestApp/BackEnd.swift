package import Accounts
import Crypto
package import HTTP
import JOSE
package import JSON
import Runtime
package import TestKit
import Text

/// A back end with a key file of a service account, as an operator makes it.
package struct BackEnd: Sendable {
    package let app: TestApp
    package let email: String
    package let keyID: String
    package let key: FakeKey

    /// - Parameter rights: `nil` for the usual ones.
    package init(_ app: TestApp, project: String = "demo", name: String = "backend", rights: Set<Administrator.Right>? = nil) async throws {
        guard let account = ServiceAccountEmail(name, in: project) else { throw Unusable.name(name) }
        let accounts = ServiceAccounts(database: app.database, clock: .system)
        let file = try JSON.parse(try await accounts.createKey(for: account, rights: rights, publicURL: "https://auth.example.com").text)
        guard let pem = file["private_key"]?.string?.asString, let id = file["private_key_id"]?.string?.asString else {
            throw Unusable.name(name)
        }
        self.app = app
        email = account.text
        keyID = id
        key = FakeKey(id, .rs256, try PrivateKey(pem: pem))
    }

    package enum Unusable: Error { case name(String), refused(String) }

    /// The right assertion, with these claims in place of its own; `null` removes one.
    package func assertion(_ changes: JSON.Object = [:], header: JSON.Object = [:]) throws -> String {
        let now = Clock.system.now().seconds
        var claims: JSON.Object = [
            "iss": .string(email), "sub": .string(email), "aud": "https://oauth2.googleapis.com/token", "iat": .integer(now),
            "exp": .integer(now + 3600), "scope": "https://www.googleapis.com/auth/firebase https://www.googleapis.com/auth/datastore",
        ]
        for member in changes { claims[member.name] = member.value.isNull ? .none : member.value }
        return try key.sign(.object(claims), header: header)
    }

    /// Asks the token endpoint.
    package func grant(_ assertion: String, path: String = "/token") async -> Response {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        return await app.answer(
            Request(
                method: .post, path: path, headers: ["content-type": "application/x-www-form-urlencoded"], body: Array(form.utf8)))
    }

    package func accessToken() async throws -> String {
        let response = await grant(try assertion())
        guard let token = try? JSON.parse(response.body)["access_token"]?.string else {
            throw Unusable.refused(String(decoding: response.body, as: UTF8.self))
        }
        return token.asString
    }

    /// Makes a call of administrators.
    package func call(
        _ method: HTTP.Method, _ path: String, query: String = "", _ body: JSON? = nil, token: String
    ) async throws -> TestApp.Answer {
        let response = await app.answer(
            Request(
                method: method, path: path, query: query,
                headers: ["content-type": "application/json", "authorization": "Bearer \(token)"],
                body: body.map { Array($0.text().utf8) } ?? []))
        return TestApp.Answer(status: response.status, json: try JSON.parse(response.body))
    }
}
