import Crypto
import HTTP
import JSON
import Postgres
import ProjectSettings
import Projects
import Runtime
import TestApp
import TestKit
import Testing
import Text

@testable import Accounts
@testable import Console

/// Every act of the console, at a moment when its record cannot be written.
@Suite(.takesTurns) struct RecordedActsTests {
    private static let account = "uid/of ada"

    private static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// A path of each act, and what is typed into its form, in an order in which all of them are possible.
    private func acts(_ stage: Stage) -> [(any ConsoleAct.Type, path: String, form: Form)] {
        let (project, user) = ("/projects/demo", "/projects/demo/users/\(Self.part(Self.account))")
        return [
            (CheckProvider.self, "\(project)/providers/oidc.acme/check", [:]),
            (EndUserSession.self, "\(user)/sessions/\(Hex.encode(stage.session))/end", [:]),
            (EndUserSessions.self, "\(user)/sessions/end", [:]),
            (ExportAudit.self, "\(project)/audit/export", [:]),
            (ExportUser.self, "\(user)/export", [:]),
            (ForgetLimits.self, "\(project)/limits/forget", ["person": "ada@example.com"]),
            (MailUser.self, "\(user)/mail/resetPassword", [:]),
            (RemoveUserFactor.self, "\(user)/factors/\(Self.part("factor-1"))/remove", [:]),
            (RemoveUserPasskey.self, "\(user)/passkeys/\(Base64URL.encode(Digest.sha256(stage.passkey)))/remove", [:]),
            (ReplayEvent.self, "\(project)/hooks/\(Hex.encode(stage.event))/replay", [:]),
            (RetryMails.self, "\(project)/mail/retry", [:]),
            (RotateKey.self, "/keys/idToken/RS256/rotate", [:]),
            (SendSampleMail.self, "\(project)/mail/templates/resetPassword/en/send", [:]),
            (SetUserClaims.self, "\(user)/claims", ["claims": #"{"level":"gold"}"#]),
            (UnlinkUser.self, "\(user)/unlink/\(Self.part("oidc.acme"))", [:]),
            (DisableUser.self, "\(user)/disable", [:]),
            (EnableUser.self, "\(project)/users/\(Self.part("closed"))/enable", [:]),
            (DeleteUser.self, "\(user)/delete", ["uid": UTF8Text(Self.account)]),
        ]
    }

    /// A server on which there is something for each act to do.
    private struct Stage {
        let browser: ConsoleBrowser
        let session: [UInt8]
        let passkey = [UInt8](repeating: 7, count: 32)
        let event: [UInt8]
    }

    private func stage() async throws -> Stage {
        let secrets = try TestFolder(["crm": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
        let events = "events: [{id: crm, url: 'https://crm.example.com', types: '*', secrets: {file: \(secrets.path)/crm}}]"
        let app = try await TestApp(
            project: "signIn: {password: true, emailLink: true}\n\(events)\n\(ProviderCheckTests.unreachable)",
            server: ConsoleBrowser.settings)
        let browser = ConsoleBrowser(app)
        try await browser.signIn(as: "admin")
        let project = try #require(app.projects.current.project(id: "demo")).settings
        let administrator = Administrator(command: "test", of: project)
        var change = AdministratorChange()
        change.own.email = "ada@example.com"
        change.own.password = "first password"
        change.emailVerified = true
        change.linked = LinkedIdentity(providerID: "oidc.acme", subject: "ada at acme", email: "ada@work.example")
        _ = try await app.accounts.administration.accounts.create(Self.account, change, by: administrator)
        _ = try await app.post("signInWithPassword", ["email": "ada@example.com", "password": "first password"])
        var factors = AdministratorChange()
        factors.secondFactors = [StatedFactor(id: "factor-1", phoneNumber: "+12025550102", displayName: "Work", enrolledAt: nil)]
        _ = try await app.accounts.administration.accounts.update(Self.account, factors, by: administrator)
        var closed = AdministratorChange()
        closed.disabled = true
        _ = try await app.accounts.administration.accounts.create("closed", closed, by: administrator)
        _ = try await app.post("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
        _ = try await app.database.write("UPDATE deliveries SET due_at = now() + interval '1 hour'")
        let session = try #require(
            try await app.database.query("SELECT session_id FROM sessions WHERE account_id = \(Self.account)").first
        ).value(as: [UInt8].self)
        _ = try await EventFanOut(app.accounts.operators.events.deliveries).run(in: project)
        let event = try #require(try await app.accounts.operators.events.list(.init(), limit: 1, in: project).first)
        let stage = Stage(browser: browser, session: session, event: event.id)
        _ = try await app.database.write(
            """
            INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible, backup_state,
                uv_initialized, aaguid, format, name, linked_at)
            VALUES ('demo', \(stage.passkey), \(Self.account), '\\x01', -7, 0, 'localhost', false, false, true,
                decode(repeat('00', 16), 'hex'), 'none', 'A key', now())
            """)
        _ = try await app.database.write(
            "UPDATE accounts SET user_handle = decode(repeat('07', 24), 'hex') WHERE account_id = \(Self.account)")
        return stage
    }

    /// A digest of each table's rows. The session of the operator notes when it was used, and an attempt counts against limits also where it fails.
    private func contents(_ stage: Stage) async throws -> [String: String] {
        let database = stage.browser.app.database
        var contents: [String: String] = [:]
        let names = try await database.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('console_sessions', 'rate_limits')")
        for row in names {
            let name = try row.value(as: String.self)
            let digest = try await database.query(
                "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM \(SQL(unsafe: name)) AS t")
            contents[name] = try #require(digest.first).value(as: String.self)
        }
        return contents
    }

    @Test func `SEC-64 no act is done that cannot be recorded`() async throws {
        let stage = try await stage()
        let database = stage.browser.app.database
        let acts = acts(stage)
        #expect(Set(acts.map { "\($0.0)" }) == Set(Console.acts.map { "\($0)" }))
        _ = try await database.write(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no record'; END $$")
        _ = try await database.write("CREATE TRIGGER refuse BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse()")
        for (act, path, form) in acts {
            let before = try await contents(stage)
            #expect(await stage.browser.get(path).status == 200, "\(act)")
            var form = form
            form.add("reason", "a test")
            let answer = await stage.browser.post(path, form)
            #expect(answer.status >= 500 && answer.headers["content-disposition"] == nil, "\(act): \(answer.status)")
            let changed = try await contents(stage).filter { before[$0.key] != $0.value }.keys.sorted()
            #expect(changed.isEmpty, "\(act)")
        }
        // The acts were possible: with the record, each is done.
        _ = try await database.write("DROP TRIGGER refuse ON audit_events")
        for (act, path, form) in acts {
            var form = form
            form.add("reason", "a test")
            #expect([200, 303].contains(await stage.browser.post(path, form).status), "\(act)")
        }
    }
}
