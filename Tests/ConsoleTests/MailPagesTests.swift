import Accounts
import HTTP
import Postgres
import Projects
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// The console's pages about mails: how they look, how one is sent to the operator, and what was given up.
@Suite(.takesTurns) struct MailPagesTests {
    private static let mail = "/projects/demo/mail"
    private static let preview = "/projects/demo/mail/templates/resetPassword/en"

    private func browser(as role: String, project: String = "") async throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(try await TestApp(project: project, server: ConsoleBrowser.settings))
        try await browser.signIn(as: role)
        return browser
    }

    @Test func `every kind of mail can be looked at in every language, by its own templates`() async throws {
        let browser = try await browser(as: "viewer", project: "branding: {name: 'Analytical <Engines>', language: de}")
        let list = await browser.get("\(Self.mail)/templates").text
        for kind in OutgoingMail.Kind.allCases {
            for language in ["de", "en"] {
                let path = "\(Self.mail)/templates/\(kind.rawValue)/\(language)"
                #expect(list.contains("href=\"\(path)\""))
                let page = await browser.get(path)
                #expect(page.status == 200 && page.text.contains("Analytical &lt;Engines&gt;"), "\(path)")
                #expect(page.text.contains("<iframe") && page.text.contains("sandbox=\"\" src=\"\(path)/html\""))
            }
        }
        #expect(list.contains("<td lang=\"de\">") && list.contains("in the project&#39;s own language, de."))
        for path in ["nothing/en", "resetPassword/xx", "resetPassword/nothing"] {
            #expect(await browser.get("\(Self.mail)/templates/\(path)").status == 404)
        }
    }

    @Test func `the page of a mail permits frames of the console alone, and its frame nothing at all`() async throws {
        let browser = try await browser(as: "viewer")
        let page = await browser.get(Self.preview)
        let policy = page.headers["content-security-policy"]?.asString ?? ""
        #expect(policy.contains("frame-src 'self'; ") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        #expect(page.text.contains("Reset your password") && page.text.contains("oobCode=this-is-a-sample"))
        #expect(!page.text.contains("<a href=\"https://auth.example.com"))
        #expect(await browser.get("/").headers["content-security-policy"]?.asString.contains("frame-src") == false)

        for destination in [nil, "document", "image", "embed"] {
            browser.destination = destination
            #expect(await browser.get(Self.preview + "/html").status == 404)
        }
        browser.destination = "iframe"
        let frame = await browser.get(Self.preview + "/html")
        #expect(frame.status == 200 && frame.text.hasPrefix("<!doctype html>") && frame.text.contains("oobCode=this-is-a-sample"))
        #expect(
            frame.headers["content-security-policy"]
                == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox")
        for (name, value) in [("x-frame-options", "SAMEORIGIN"), ("cache-control", "no-store"), ("x-content-type-options", "nosniff")] {
            #expect(frame.headers[name] == UTF8Text(value))
        }
        browser.cookie = nil
        #expect(await browser.get(Self.preview + "/html").status == 303)
    }

    @Test func `SEC-67 a name with a trap in it is only text in subject and text part`() async throws {
        let browser = try await browser(as: "viewer", project: #"branding: {name: "a<script>\u202Egnp", language: en}"#)
        let page = await browser.get(Self.preview).text
        #expect(!page.contains("<script") && !page.unicodeScalars.contains("\u{202E}") && page.contains("[U+202E]"))
    }

    @Test func `a mail goes to the operator's own address, and is recorded first`() async throws {
        let browser = try await browser(as: "admin", project: "limits: {sendSampleMail: {perMailbox: 1 per 1h}}")
        #expect(await browser.get(Self.preview).text.contains("id=\"send\" href=\"\(Self.preview)/send\""))
        let question = await browser.get(Self.preview + "/send").text
        #expect(question.contains("admin@example.com") && question.contains("resetPassword (en)"))
        #expect(await browser.post(Self.preview + "/send").headers["location"] == UTF8Text("\(Self.preview)?note=kept"))
        #expect(await browser.get(Self.preview + "?note=kept").text.contains("No mail server was asked."))
        let event = try #require(try await browser.app.accounts.audit.list(limit: 1, in: "demo").last)
        #expect(event.action == "sampleMail.sent" && event.actor == "admin" && event.details.contains("resetPassword"))
        let refused = await browser.post(Self.preview + "/send")
        #expect(refused.status == 400 && refused.text.contains("TOO_MANY_ATTEMPTS_TRY_LATER"))
        #expect(try await browser.app.accounts.audit.list(limit: 10, in: "demo").filter { $0.action == "sampleMail.sent" }.count == 1)
        #expect(try await browser.app.database.query("SELECT 1 FROM deliveries").isEmpty)
    }

    @Test func `SEC-64 a mail that cannot be recorded is not sent`() async throws {
        let browser = try await browser(as: "admin")
        _ = try await browser.app.database.write(
            "ALTER TABLE audit_events ADD CONSTRAINT no_more CHECK (actor_kind <> 'operator') NOT VALID")
        #expect(await browser.post(Self.preview + "/send").status >= 500)
    }

    @Test func `an operator without an address is told so, and a viewer is offered nothing`() async throws {
        let browser = try await browser(as: "support")
        let page = await browser.get(Self.preview).text
        #expect(page.contains("your entry in gatehouse.yaml has no email") && !page.contains("id=\"send\""))
        #expect(await browser.get(Self.preview + "/send").status == 400)
        #expect(await browser.post(Self.preview + "/send", ["reason": "a test"]).status == 400)
        try await browser.signIn(as: "viewer")
        let viewers = await browser.get(Self.preview).text
        #expect(!viewers.contains("has no email") && !viewers.contains("id=\"send\""))
        #expect(await browser.get(Self.preview + "/send").status == 403)
    }
}
