import Accounts
import Config
import Crypto
import HTTP
import JSON
import Postgres
import Runtime
import TestApp
import TestKit
import Testing
import Text
import WebAuthn

@testable import Console

/// The pages of operators' passkeys, and the sign-in with one.
@Suite(.takesTurns) struct PasskeyPagesTests {
    private static let issuer = "https://staff.example.com"

    private func browser(_ settings: String = ConsoleBrowser.settings) async throws -> ConsoleBrowser {
        ConsoleBrowser(try await TestApp(server: settings))
    }

    /// The options that the page's script reads.
    private func data(_ page: Response, _ name: UTF8Text) throws -> JSON {
        let text = try #require(page.text.firstMatch(of: #/<div id="data" hidden>([^<]*)</div>/#)).1
        return try #require(try JSON.parse(text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'"))[name])
    }

    /// Has the authenticator take part in the ceremony of this type.
    private func answer(_ authenticator: inout SoftAuthenticator, _ options: JSON, _ type: String) throws {
        authenticator.rpID = "console.example.com"
        authenticator.clientData = [
            "type": .string(UTF8Text(type)), "challenge": try #require(options["challenge"]), "origin": "https://console.example.com",
        ]
        authenticator.flags = type == "webauthn.create" ? 0x5D : 0x1D
    }

    /// Adds a passkey at the page, as the browser's operator.
    private func add(_ browser: ConsoleBrowser, name: UTF8Text = "Laptop") async throws -> SoftAuthenticator {
        let options = try data(await browser.get("/passkeys/add"), "create")
        var authenticator = try SoftAuthenticator()
        authenticator.credentialID = Random.bytes(16)
        authenticator.userHandle = Base64URL.decodeStrict(options["user"]?["id"]?.string?.asString ?? "")
        try answer(&authenticator, options, "webauthn.create")
        let done = await browser.post("/passkeys/add", ["credential": UTF8Text(try authenticator.registration().text()), "name": name])
        #expect(done.status == 303 && done.headers["location"] == "/passkeys?note=added", "\(done.text)")
        return authenticator
    }

    /// Signs in with the authenticator at the sign-in page.
    private func signIn(
        _ browser: ConsoleBrowser, _ authenticator: SoftAuthenticator, next: UTF8Text = "/keys",
        _ change: (inout SoftAuthenticator) -> Void = { _ in }
    ) async throws -> Response {
        var authenticator = authenticator
        try answer(&authenticator, try data(await browser.get("/sign-in"), "request"), "webauthn.get")
        change(&authenticator)
        return await browser.send(.post, "/sign-in/passkey", form(try authenticator.assertion(), next))
    }

    private func form(_ answer: JSON, _ next: UTF8Text = "/") -> [UInt8] {
        Array((["credential": UTF8Text(answer.text()), "next": next] as Form).encoded().utf8)
    }

    @Test func `an operator adds a passkey, signs in with it, and removes it`() async throws {
        let browser = try await browser()
        #expect(await !browser.get("/sign-in").text.contains("<script"))
        try await browser.signIn(as: "viewer")
        #expect(await browser.get("/passkeys").text.contains("You have no passkeys."))
        let authenticator = try await add(browser, name: "\u{202E}Laptop <b>")
        let page = await browser.get("/passkeys?note=added").text
        #expect(page.contains("[U+202E]Laptop &lt;b&gt;") && page.contains("The passkey is added."))

        let other = ConsoleBrowser(browser.app)
        let done = try await signIn(other, authenticator)
        #expect(done.status == 303 && done.headers["location"] == "/keys")
        #expect(await other.get("/").text.contains("<bdi>viewer</bdi>"))
        // The session is fresh, and adds no other passkey all the same.
        let refused = await other.get("/passkeys/add")
        #expect(refused.status == 403 && refused.text.contains("/sign-in/start?next=%2Fpasskeys%2Fadd"))
        #expect(await other.post("/passkeys/add", ["credential": "{}"]).status == 403)

        let remove = String(try #require(page.firstMatch(of: #/href="(\/passkeys\/[^"\/]+\/remove)"/#)).1)
        try await browser.signIn(as: "admin")
        #expect(await browser.get(remove).status == 404)
        #expect(await browser.post(remove).status == 404)
        try await browser.signIn(as: "viewer")
        #expect(await browser.get(remove).text.contains("Laptop"))
        #expect(await browser.post(remove).headers["location"] == "/passkeys?note=removed")
        #expect(await other.get("/").status == 303)
        let events = try await browser.app.accounts.audit.list(limit: 100, in: AuditEvents.server)
        #expect(events.last?.action == "operator.passkeyRemoved" && events.last?.actor == "viewer")
    }

    @Test func `SEC-64 the script of a passkey runs on two pages, and no other script does`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "admin")
        _ = try await add(browser)
        for path in ["/sign-in", "/passkeys/add"] {
            let page = await browser.get(path)
            let policy = page.headers["content-security-policy"]?.asString ?? ""
            let script = try #require(page.text.firstMatch(of: #/<script>([^<]*(?:<(?!\/script)[^<]*)*)<\/script>/#)).1
            let hash = Base64.encode(Digest.sha256(Array(script.utf8)))
            #expect(policy.contains("default-src 'none'; script-src 'sha256-\(hash)'; style-src"), "\(policy)")
            #expect(!policy.contains("unsafe") && !policy.contains("connect-src") && policy.contains("form-action 'self'"))
            #expect(page.text.matches(of: #/<script/#).count == 1)
            #expect(page.headers["permissions-policy"] == "publickey-credentials-get=(self), publickey-credentials-create=(self)")
            #expect(page.text.contains("id=\"passkey\" hidden") && page.text.contains("runs the script of this page"))
        }
        let list = await browser.get("/passkeys")
        #expect(!list.text.contains("<script") && !(list.headers["content-security-policy"]?.asString.contains("script") ?? true))
    }

    @Test func `SEC-65 the cookie and the answer belong together`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "admin")
        var authenticator = try await add(browser)
        let victim = ConsoleBrowser(browser.app)
        let page = await victim.get("/sign-in")
        let cookie = page.headers["set-cookie"]?.asString ?? ""
        for part in ["__Host-gatehouse_console_passkey=", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
            #expect(cookie.contains(part), "\(cookie)")
        }
        try answer(&authenticator, try data(page, "request"), "webauthn.get")
        let body = form(try authenticator.assertion())
        // Another browser, with a cookie of its own and without one; another site's page; another host.
        let thief = ConsoleBrowser(browser.app)
        #expect(await thief.send(.post, "/sign-in/passkey", body).status == 403)
        _ = await thief.get("/sign-in")
        #expect(await thief.send(.post, "/sign-in/passkey", body).status == 403)
        victim.site = "cross-site"
        #expect(await victim.send(.post, "/sign-in/passkey", body).status == 403)
        victim.site = "same-origin"
        victim.host = "evil.example"
        #expect(await victim.send(.post, "/sign-in/passkey", body).status == 421)
        victim.host = "console.example.com"
        #expect(await victim.send(.post, "/sign-in/passkey", body).status == 303)
        let session = victim.cookie
        #expect(await victim.send(.post, "/sign-in/passkey", body).status == 403, "the answer a second time")
        #expect(victim.cookie == session)
        for wrong in ["", "{", "[]", "{\"id\":\"A\"}"] {
            #expect(await victim.send(.post, "/sign-in/passkey", form(.string(UTF8Text(wrong)))).status == 403)
        }
        #expect(try await signIn(victim, authenticator, next: "//evil.example").headers["location"] == "/")
        let unverified = try await signIn(victim, authenticator) { $0.flags = 0x19 }
        #expect(unverified.status == 403 && unverified.text.contains("The passkey was not accepted."))
    }

    @Test func `SEC-65 a passkey of a person who is not an operator any more opens nothing`() async throws {
        let browser = try await browser()
        let operators = browser.app.accounts.operators
        let site = OperatorPasskeys.Site(rpID: "console.example.com", origin: "https://console.example.com")
        // A subject that the file does not have, one of another provider, and one that was bound to an address that the file does not have any more.
        let people = [
            OperatorPerson(issuer: Self.issuer, subject: "s-gone"), OperatorPerson(issuer: "https://other.example.com", subject: "s-admin"),
            OperatorPerson(issuer: Self.issuer, subject: "s-bound"),
        ]
        _ = try await operators.bindings.bind(people[2], to: "gone@example.com", named: "gone", from: browser.client)
        for person in people {
            let session = try await operators.sessions.begin("admin", person, replacing: [], from: browser.client)
            let options = try await operators.passkeys.start(in: session, at: site)
            var authenticator = try SoftAuthenticator()
            (authenticator.credentialID, authenticator.userHandle) = (Random.bytes(16), options.user.handle)
            try answer(&authenticator, options.json, "webauthn.create")
            try await operators.passkeys.add(
                try authenticator.registration(), named: "x", in: session, at: site,
                by: OperatorAct(by: Operator(name: "admin", role: .admin), because: nil, from: browser.client))
            browser.cookie = nil
            #expect(try await signIn(browser, authenticator).status == 403, "\(person)")
            #expect(browser.cookie == nil)
        }
    }

    @Test func `SEC-66 a session without the provider adds no passkey`() async throws {
        let browser = try await browser()
        (browser.peer, browser.host) = (.loopback, "localhost:8081")
        let code = try await browser.app.accounts.operators.openings.make(reason: "a test", from: nil, by: "console open")
        #expect(await browser.send(.post, "/open", Array("code=\(code)".utf8)).status == 303)
        #expect(await browser.get("/passkeys").text.contains("A session without the provider has no passkeys."))
        #expect(await browser.get("/passkeys/add").status == 403)
        #expect(await browser.post("/passkeys/add", ["credential": "{}"]).status == 403)
    }

    @Test func `every operator looks after passkeys of their own, and no form of another page adds or removes one`() async throws {
        let browser = try await browser()
        for name in ["viewer", "support", "admin", "demo-only"] {
            try await browser.signIn(as: name)
            #expect(await browser.get("/passkeys").status == 200)
            // No reason is asked for.
            let authenticator = try await add(browser)
            let remove = "/passkeys/\(Base64URL.encode(Digest.sha256(authenticator.credentialID)))/remove"
            browser.site = "cross-site"
            for path in ["/passkeys/add", remove] { #expect(await browser.post(path).status == 403) }
            browser.site = "same-origin"
            for path in ["/passkeys/add", remove] { #expect(await browser.post(path, token: "").status == 403) }
            #expect(await browser.post(remove).status == 303)
        }
        browser.cookie = nil
        for path in ["/passkeys", "/passkeys/add", "/passkeys/x/remove"] { #expect(await browser.get(path).status == 303) }
    }

    @Test func `SEC-64 a passkey that cannot be recorded is neither added nor used nor removed`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "viewer")
        let authenticator = try await add(browser)
        let database = browser.app.database
        _ = try await database.write(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no record'; END $$")
        _ = try await database.write("CREATE TRIGGER refuse BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse()")
        let remove = "/passkeys/\(Base64URL.encode(Digest.sha256(authenticator.credentialID)))/remove"
        #expect(await browser.post(remove).status >= 500)
        var other = try SoftAuthenticator()
        (other.credentialID, other.userHandle) = (Random.bytes(16), authenticator.userHandle)
        try answer(&other, try data(await browser.get("/passkeys/add"), "create"), "webauthn.create")
        #expect(await browser.post("/passkeys/add", ["credential": UTF8Text(try other.registration().text())]).status >= 500)
        let guest = ConsoleBrowser(browser.app)
        #expect(try await signIn(guest, authenticator).status >= 500)
        #expect(guest.cookie == nil)
        let stored = try await database.query("SELECT credential_id FROM operator_passkeys WHERE last_used_at IS NULL")
        #expect(try stored.map { try $0.value(as: [UInt8].self) } == [authenticator.credentialID])
    }

    @Test func `a console without a host name has no passkeys, and says so`() async throws {
        let settings = ConsoleBrowser.settings.replacing("https://console.example.com", with: "https://192.0.2.1")
        let browser = try await browser(settings)
        browser.host = "192.0.2.1"
        try await browser.signIn(as: "admin")
        #expect(await browser.get("/passkeys").text.contains("no host name"))
        #expect(await browser.get("/passkeys/add").status == 403)
    }

    @Test func `in development there are no passkeys, since there is no sign-in`() async throws {
        let app = try await TestApp(development: true)
        for (method, path) in [(HTTP.Method.get, "/passkeys"), (.get, "/passkeys/add"), (.post, "/sign-in/passkey")] {
            let response = await app.answer(
                Request(
                    method: method, path: "/emulator\(path)", headers: ["host": "localhost:8080"], peer: .loopback,
                    connectedFrom: .loopback))
            #expect(response.status == 404, "\(path)")
        }
        let overview = await app.answer(
            Request(
                method: .get, path: "/emulator/", headers: ["host": "localhost:8080"], peer: .loopback, connectedFrom: .loopback))
        #expect(overview.status == 200 && !overview.text.contains("/passkeys"))
    }
}
