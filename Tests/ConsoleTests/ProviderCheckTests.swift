import Accounts
import HTTP
import ProjectSettings
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// The question of operators to a provider, whether sign-ins there can succeed.
@Suite(.takesTurns) struct ProviderCheckTests {
    /// A provider of a project that cannot be asked, since it would be on this machine.
    static let unreachable = "providers: {oidc.acme: {issuer: 'https://127.0.0.1:9', clientId: c, clientAuth: none}}"
    private static let path = "/projects/demo/providers/oidc.acme/check"

    private func browser(_ project: String = "") async throws -> ConsoleBrowser {
        let app = try await TestApp(project: "\(Self.unreachable)\n\(project)", server: ConsoleBrowser.settings)
        let browser = ConsoleBrowser(app)
        try await browser.signIn(as: "support")
        return browser
    }

    private func checks(_ browser: ConsoleBrowser) async throws -> [AuditEvent] {
        try await browser.app.accounts.audit.list(limit: 100, in: "demo").filter { $0.action == "provider.checked" }
    }

    @Test func `a check is recorded with the operator, the provider and the outcome`() async throws {
        let browser = try await browser()
        #expect(await browser.get(Self.path).status == 200)
        #expect(try await checks(browser).isEmpty)
        #expect(await browser.post(Self.path, ["reason": "people cannot sign in"]).status == 200)
        let event = try #require(try await checks(browser).first)
        #expect(event.actorKind == "operator" && event.actor == "support" && event.providerID == "oidc.acme" && event.accountID == nil)
        for fact in [#""outcome": "faulty""#, #""faults": 1"#, "people cannot sign in"] {
            #expect(event.details.contains(fact), "\(event.details)")
        }
        #expect(await browser.get("/projects/demo/audit").text.contains("provider.checked"))
    }

    @Test func `checks have a limit of their own, for the whole project`() async throws {
        // The limit of sign-ins that begin is another one.
        let others = "startSignIn: {perAddress: 1 per 1h, perProject: 1 per 1h}"
        let browser = try await browser("limits: {checkProvider: {perProject: 1 per 1h}, \(others)}")
        #expect(await browser.post(Self.path, ["reason": "a test"]).status == 200)
        try await browser.signIn(as: "admin")
        let refused = await browser.post(Self.path, ["reason": "a test"])
        #expect(refused.status == 400 && refused.text.contains("QUOTA_EXCEEDED"))
        #expect(try await checks(browser).count == 1)
        #expect(await browser.get("/projects/demo/limits").text.contains("checkProvider"))
    }

    @Test func `a project has twenty checks an hour where its file says nothing`() {
        let limits = LimitedAction.checkProvider.standard
        #expect(limits.map(\.scope) == [.project] && limits.map(\.rate) == [Rate(20, per: .seconds(3600))])
    }
}
