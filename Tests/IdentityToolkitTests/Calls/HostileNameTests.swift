import HTTP
import JSON
import TestApp
import TestKit
import Testing
import Text

/// Names that people, providers and administrators write, on the pages and in the answers that operators and developers read.
@Suite struct HostileNameTests {
    private static let file = "signIn: {password: true, anonymous: true}\ndynamicTenants: true\n"

    private func send(_ app: TestApp, _ request: Request) async throws -> TestApp.Answer {
        let response = await app.answer(request)
        return TestApp.Answer(status: response.status, json: try JSON.parse(response.body, limits: JSON.Limits(bytes: 1 << 20)))
    }

    private func page(_ app: TestApp, _ query: Form = ["project": "demo"]) async throws -> String {
        let response = await app.answer(try .ofThisMachine(.get, "/emulator/codes", query.encoded()))
        #expect(response.status == 200)
        return String(decoding: response.body, as: UTF8.self)
    }

    /// The marks of tags and attributes, and characters that change how the rest is read.
    private func marks(_ html: String) -> [Int] {
        let treacherous = html.unicodeScalars.count { scalar in
            scalar != "\n" && [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                || ("\u{202A}"..."\u{202E}").contains(scalar) || ("\u{2066}"..."\u{2069}").contains(scalar)
        }
        return ["<", ">", "\""].map { mark in html.unicodeScalars.count { $0 == mark } } + [treacherous]
    }

    private func signIn(_ app: TestApp, _ name: JSON, claims: JSON? = nil) async throws {
        let person: JSON = ["sub": "ada", "name": name, "screen_name": name, "picture": name, "given_name": name]
        let fields: Form = ["providerId": "google.com", "id_token": UTF8Text(person.text())]
        let body: JSON = ["requestUri": "http://localhost", "postBody": .string(UTF8Text(fields.encoded()))]
        let answer = try await send(app, .ofThisMachine(.post, "/v1/accounts:signInWithIdp", "key=key", body: body))
        #expect(answer.status == 200, "\(answer.error ?? "")")
        guard let claims else { return }
        let owner = [("authorization", "Bearer owner")]
        let change: JSON = ["localId": .string(UTF8Text(answer.text("localId"))), "customAttributes": .string(UTF8Text(claims.text()))]
        let changed = try await send(app, .ofThisMachine(.post, "/v1/projects/demo/accounts:update", "", owner, body: change))
        #expect(changed.status == 200, "\(changed.error ?? "")")
    }

    @Test func `SEC-67 the page for developers has nothing of a hostile name but its text`() async throws {
        let app = try await TestApp(project: Self.file, development: true)
        try await signIn(app, "Ada", claims: ["claim": "value"])
        let usual = marks(try await page(app))
        for text in HostileText.all {
            let wipe: Request = try .ofThisMachine(.delete, "/emulator/v1/projects/demo/accounts")
            #expect(try await send(app, wipe).status == 200)
            let short = UTF8Text(String(text.asString.prefix(100)))
            try await signIn(app, .string(text), claims: ["claim": .string(short)])
            #expect(marks(try await page(app)) == usual, "\(text)")
        }
        let form: Form = ["project": "demo", "do": "add", "email": "a", "displayName": "b", "continueUrl": "c"]
        let shown = marks(try await page(app, form))
        for text in HostileText.all where !text.utf8.contains(0) {
            let hostile: Form = ["project": "demo", "do": "add", "email": text, "displayName": text, "continueUrl": text]
            #expect(marks(try await page(app, hostile)) == shown, "\(text)")
        }
    }

    @Test func `SEC-67 an administrator's names are text, or are refused`() async throws {
        let app = try await TestApp(project: Self.file, development: true)
        let owner = [("authorization", "Bearer owner")]
        for text in HostileText.all {
            let treacherous = marks(text.asString).last != 0 || text.utf8.contains(0x0A)
            let tenant = try await send(
                app, .ofThisMachine(.post, "/v2/projects/demo/tenants", "", owner, body: ["displayName": .string(text)]))
            #expect(tenant.status == (treacherous || text.utf8.count > 128 ? 400 : 200), "\(text)")
            let account = try await send(
                app, .ofThisMachine(.post, "/v1/projects/demo/accounts", "", owner, body: ["displayName": .string(text)]))
            #expect(account.status == (treacherous || text.asString.unicodeScalars.count > 256 ? 400 : 200), "\(text)")
            for answer in [tenant, account] where answer.status == 400 {
                #expect(HostileText.isInert(answer.error ?? ""), "\(answer.error ?? "")")
            }
        }
    }
}
