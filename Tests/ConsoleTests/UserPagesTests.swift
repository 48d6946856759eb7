import Accounts
import Crypto
import HTTP
import JSON
import Pages
import Postgres
import ProjectSettings
import Projects
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// The console's pages about people: what they show to whom, and what their acts do.
@Suite(.takesTurns) struct UserPagesTests {
    /// A browser, and the account of a person with everything that a page can show.
    private func browser(as role: String) async throws -> (ConsoleBrowser, account: String) {
        let app = try await TestApp(project: "signIn: {password: true, emailLink: true}", server: ConsoleBrowser.settings)
        let browser = ConsoleBrowser(app)
        try await browser.signIn(as: role)
        var change = AdministratorChange()
        change.own.email = "ada@example.com"
        change.own.displayName = .set("Ada <Lovelace>")
        change.own.password = "first password"
        change.emailVerified = true
        change.phoneNumber = .set("+12025550101")
        change.customAttributes = .set(#"{"level":"gold"}"#)
        change.linked = LinkedIdentity(providerID: "oidc.acme", subject: "ada at acme", email: "ada@work.example")
        change.secondFactors = [StatedFactor(id: "factor-1", phoneNumber: "+12025550102", displayName: "Work", enrolledAt: nil)]
        _ = try await app.accounts.administration.accounts.create("uid/of ada", change, by: try administrator(app))
        return (browser, "/projects/demo/users/\(Self.part("uid/of ada"))")
    }

    private static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    private func administrator(_ app: TestApp) throws -> Administrator {
        Administrator(command: "test", of: try #require(app.projects.current.project(id: "demo")).settings)
    }

    private func account(_ browser: ConsoleBrowser) async throws -> Account? {
        try await browser.app.accounts.directory.account("uid/of ada", in: try administrator(browser.app).project)
    }

    private func events(_ browser: ConsoleBrowser) async throws -> [AuditEvent] {
        try await browser.app.accounts.audit.list(of: "uid/of ada", limit: 50, in: "demo")
    }

    @Test func `a list finds people, and leads to each of them`() async throws {
        let (browser, account) = try await browser(as: "support")
        for query in [
            "", "?q=ada", "?q=ada%40example.com", "?q=%40example.com", "?q=%2B1%20202%20555%200101", "?q=oidc.acme:ada+at+acme",
            "?way=phone",
        ] {
            let page = await browser.get("/projects/demo/users\(query)")
            #expect(page.status == 200 && page.text.contains(account) && page.text.contains("ada@example.com"), "\(query)")
            #expect(page.text.contains("<code><bdi>uid/of ada</bdi></code>") && page.text.contains("<bdi>Ada &lt;Lovelace&gt;</bdi>"))
        }
        #expect(await browser.get("/projects/demo/users?q=nobody").text.contains("No account matches."))
        #expect(await browser.get("/projects/demo/users?disabled=1").text.contains("No account matches."))
        #expect(await browser.get("/projects/demo/users?since=2999-01-01").text.contains("No account matches."))
        let refused: [(String, String)] = [
            ("?q=*lace*", "console index --substring"), ("?q=*a*", "at least three characters"), ("?place=x", "not one of the search"),
            ("?q=a%00b", "characters that no account has"),
        ]
        for (query, reason) in refused {
            let page = await browser.get("/projects/demo/users\(query)")
            #expect(page.status == 400 && page.text.contains(reason), "\(query)")
        }
    }

    @Test func `a list goes on to the next page`() async throws {
        let (browser, _) = try await browser(as: "viewer")
        for number in 0..<60 {
            var change = AdministratorChange()
            change.own.displayName = .set("Person \(number)")
            _ = try await browser.app.accounts.administration.accounts.create("p\(number)", change, by: try administrator(browser.app))
        }
        let first = await browser.get("/projects/demo/users?q=person").text
        let next = try #require(first.firstMatch(of: #/id="next" rel="next" href="([^"]+)"/#)).1.replacing("&amp;", with: "&")
        let second = await browser.get(String(next)).text
        #expect(first.matches(of: #/<tr><th scope="row"/#).count == 50 && second.matches(of: #/<tr><th scope="row"/#).count == 10)
        #expect(!second.contains("id=\"next\"") && second.contains("/projects/demo/users?q=person\">First page"))
    }

    @Test func `viewers see no addresses, and no acts`() async throws {
        let (browser, account) = try await browser(as: "viewer")
        _ = try await browser.app.database.write(
            """
            UPDATE accounts SET custom_attributes = '{"mail":"ada@home.example","tel":"+44 20 7946 0958"}',
                second_factors = '[{"mfaEnrollmentId":"f","totpInfo":{},"displayName":"ada@phone.example"}]'
            """)
        for path in ["/projects/demo/users", account] {
            let page = await browser.get(path)
            #expect(page.status == 200 && page.text.contains("a••@example.com"), "\(path)")
            for secret in [
                "ada@example.com", "ada@work.example", "+12025550101", "ada@home.example", "7946", "ada@phone.example",
            ] { #expect(!page.text.contains(secret), "\(path)") }
        }
        let page = await browser.get(account).text
        for act in ["/disable", "/claims", "/delete", "/unlink/", "/remove\"", "/mail/", "/end\""] {
            #expect(!page.contains(act), "\(act)")
        }
    }

    @Test func `a page shows a person whole, and says why they cannot sign in`() async throws {
        let (browser, account) = try await browser(as: "admin")
        let page = await browser.get(account).text
        for text in [
            "ada@example.com", "verified", "+12025550101", "Ada &lt;Lovelace&gt;", "{&quot;level&quot;:&quot;gold&quot;}", "oidc.acme",
            "ada at acme", "ada@work.example", "phone +*******0102 (Work)", "account.created",
            "Why can this person not sign in?", "Then a second factor is asked for: phone +*******0102 (Work).",
            "The project&#39;s file has no entry for this provider.", "/unlink/\(Self.part("oidc.acme"))",
            "/factors/\(Self.part("factor-1"))/remove",
        ] { #expect(page.contains(text), "\(text)") }
        let acts = ["/disable", "/sessions/end", "/mail/resetPassword", "/claims", "/delete"]
        for act in acts { #expect(page.contains("\(account)\(act)\""), "\(act)") }
        #expect(await browser.post("\(account)/disable", ["reason": "left"]).status == 303)
        let disabled = await browser.get(account).text
        #expect(
            disabled.contains("This account is disabled.") && disabled.contains("The account is disabled.")
                && disabled.contains("\(account)/enable\""))
        #expect(await browser.get("/projects/demo/users/\(Self.part("nobody"))").status == 404)
        #expect(await browser.get("/projects/demo/users/nothing!").status == 404)
    }

    @Test func `each act asks first, does what it says, and is recorded with the operator and the reason`() async throws {
        let (browser, account) = try await browser(as: "admin")
        let acts: [(path: String, form: Form, action: String)] = [
            ("/disable", [:], "account.disabled"), ("/enable", [:], "account.enabled"), ("/sessions/end", [:], "sessions.revoked"),
            ("/claims", ["claims": #"{"level":"silver"}"#], "claims.changed"), ("/mail/resetPassword", [:], "link.mailed"),
            ("/factors/\(Self.part("factor-1"))/remove", [:], "secondFactors.removed"),
            ("/unlink/\(Self.part("oidc.acme"))", [:], "provider.unlinked"),
        ]
        for (path, form, action) in acts {
            let question = await browser.get(account + path)
            #expect(question.status == 200 && question.text.contains("uid/of ada") && question.text.contains("method=\"post\""), "\(path)")
            var form = form
            form.add("reason", "ticket \(path)")
            let answer = await browser.post(account + path, form)
            #expect(
                answer.status == 303 && answer.headers["location"]?.hasPrefix(UTF8Text("\(account)?note=")) == true,
                "\(path) \(answer.text)")
            let event = try #require(try await events(browser).last)
            #expect(event.action == action && event.actorKind == "operator" && event.actor == "admin" && event.address == "203.0.113.9")
            #expect(event.details.contains("ticket"), "\(event.details)")
        }
        let changed = try #require(try await self.account(browser))
        #expect(changed.customAttributes == #"{"level":"silver"}"# && changed.identities.isEmpty && changed.secondFactors == nil)
        #expect(await browser.get("\(account)?note=done").text.contains("Done."))

        for wrong in ["", "uid/of Ada", "ada@example.com"] as [UTF8Text] {
            let refused = await browser.post("\(account)/delete", ["uid": wrong, "reason": "asked"])
            #expect(refused.status == 400 && refused.text.contains("not the id of the account"))
        }
        browser.language = "de"
        #expect(await browser.post("\(account)/delete", ["uid": "x", "reason": "asked"]).text.contains("Das ist nicht die ID des Kontos."))
        let forbidden = await browser.post("\(account)/claims", ["claims": #"{"sub":"x"}"#, "reason": "asked"]).text
        #expect(forbidden.contains("Einen Claim sub haben die Tokens selbst (FORBIDDEN_CLAIM)."))
        browser.language = nil
        let file = await browser.post("\(account)/export", ["reason": "asked"])
        #expect(
            file.headers["content-type"] == "application/json" && file.text.contains("ada@example.com") && !file.text.contains("$scrypt$"))
        #expect(try await events(browser).last?.action == "account.exported")
        let unexplained = await browser.post("\(account)/delete", ["uid": "uid/of ada"])
        #expect(unexplained.status == 400)
        #expect(try await self.account(browser) != nil)
        let deleted = await browser.post("\(account)/delete", ["uid": "uid/of ada", "reason": "asked"])
        #expect(deleted.headers["location"] == "/projects/demo/users?note=deleted")
        #expect(try await self.account(browser) == nil)
        #expect(try await events(browser).last?.action == "account.deleted")
        #expect(await browser.get(account).status == 404)
    }

    @Test func `refuses claims that are not an object, and keeps what was typed`() async throws {
        let (browser, account) = try await browser(as: "admin")
        for claims in ["[]", "{", "{\n\"sub\":\n\"x\"}"] as [UTF8Text] {
            let refused = await browser.post("\(account)/claims", ["claims": claims, "reason": "a test"])
            #expect(refused.status == 400 && refused.text.contains(">\(HTML.escaped(claims.asString))</textarea>"))
        }
        #expect(try await self.account(browser)?.customAttributes == #"{"level":"gold"}"#)
    }

    @Test func `ends one session of a person`() async throws {
        let (browser, account) = try await browser(as: "support")
        let app = browser.app
        let signedUp = try await app.post("signUp", ["email": "eve@example.com", "password": "first password"])
        let id = signedUp.text("localId")
        let eve = "/projects/demo/users/\(Self.part(id))"
        let page = await browser.get(eve).text
        let end = String(try #require(page.firstMatch(of: #/href="([^"]+\/sessions\/[0-9a-f]+\/end)"/#)).1)
        #expect(await browser.get(end).status == 200)
        // It is not a session of another account.
        #expect(await browser.post(end.replacing(eve, with: account), ["reason": "x"]).status != 303)
        #expect(await browser.post(end, ["reason": "a lost phone"]).status == 303)
        #expect(await browser.get(end).status == 404)
        let lookup = try await app.post("lookup", ["idToken": .string(signedUp.text("idToken"))])
        #expect(lookup.error == "TOKEN_EXPIRED")
    }

    @Test func `SEC-64 no page shows a hash, a secret or a token`() async throws {
        let (browser, account) = try await browser(as: "admin")
        let app = browser.app
        let signedUp = try await app.post("signInWithPassword", ["email": "ada@example.com", "password": "first password"])
        #expect(signedUp.json["mfaPendingCredential"] != nil)
        let hash = try await app.database.query("SELECT password_hash FROM accounts").first?.value(as: String.self) ?? ""
        #expect(hash.hasPrefix("$scrypt$"))
        let paths =
            Console.shown.map { $0.path }.filter { $0.hasPrefix("/projects/") }.map {
                $0.replacing("/projects/{project}/users/{user}", with: account).replacing("{project}", with: "demo")
            } + ["/claims", "/delete", "/disable"].map { account + $0 }
        for path in paths {
            let text = await browser.get(path).text
            for secret in [hash, "$scrypt$", "first password", signedUp.text("mfaPendingCredential"), "AMf-"] {
                #expect(!text.contains(secret), "\(path)")
            }
        }
    }

    @Test func `SEC-67 what people wrote is nothing but text`() async throws {
        let (browser, account) = try await browser(as: "admin")
        let hostile = [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\u{202E}gnp.exe", "a\u{2028}b", "\u{1B}[31m", "{{operator}}",
            "'-alert(1)-'",
        ]
        for text in hostile {
            _ = try await browser.app.database.write(
                """
                UPDATE accounts SET display_name = \(text), photo_url = \(text), custom_attributes = \(text),
                    second_factors = \(#"[{"mfaEnrollmentId":"f","displayName":"# + JSON.string(text).text() + "}]")
                """)
            _ = try await browser.app.database.write("UPDATE identities SET display_name = \(text), subject = \(text), email = \(text)")
            _ = try await browser.app.database.write(
                "INSERT INTO audit_events (project_id, occurred_at, actor_kind, actor, action, account_id, user_agent) VALUES ('demo', now(), 'command', \(text), 'x', 'uid/of ada', \(text))"
            )
            let query = Form(["q", "way", "account", "actor"].map { (name: $0, value: text) })
            for path in [
                account, "/projects/demo/users", "/projects/demo/users?\(query.encoded())", "/projects/demo/audit",
                "/projects/demo/audit?\(query.encoded())",
            ] {
                let page = await browser.get(path).text
                #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{1B}"), "\(path)")
                #expect(!page.unicodeScalars.contains { [0x202E, 0x2028].contains($0.value) }, "\(path)")
                #expect(!page.contains("mailto:") && !page.contains("'-alert"), "\(path)")
            }
        }
        #expect(await browser.get(account).text.contains("&#39;-alert(1)-&#39;"))
    }

    @Test func `the record is listed, filtered and saved, and saving it is recorded`() async throws {
        let (browser, account) = try await browser(as: "support")
        #expect(await browser.post("\(account)/disable", ["reason": "left"]).status == 303)
        let page = await browser.get("/projects/demo/audit").text
        #expect(page.contains("account.disabled") && page.contains("operator <bdi>support</bdi>") && page.contains(account))
        #expect(!page.contains("id=\"next\""))
        let rows = { (text: String) in text.matches(of: #/<tr><th scope="row"/#).count }
        #expect(await rows(browser.get("/projects/demo/audit?action=account.disabled").text) == 1)
        #expect(await rows(browser.get("/projects/demo/audit?actor=operator").text) == 1)
        #expect(await rows(browser.get("/projects/demo/audit?account=uid%2Fof+ada").text) > 1)
        #expect(await browser.get("/projects/demo/audit?account=other").text.contains("No entry matches."))
        #expect(await browser.get("/projects/demo/audit?place=x").status == 400)
        let question = await browser.get("/projects/demo/audit/export?action=account.disabled").text
        #expect(question.contains("value=\"account.disabled\""))
        let file = await browser.post("/projects/demo/audit/export", ["action": "account.disabled", "reason": "a report"])
        #expect(file.headers["content-type"] == "application/x-ndjson")
        #expect(try JSON.parse(String(file.text.split(separator: "\n")[0])).object?["action"]?.string == "account.disabled")
        #expect(try await browser.app.accounts.audit.list(limit: 1, in: "demo").last?.action == "audit.exported")
    }
}
