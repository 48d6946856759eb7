import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

/// People see and end their sessions, and no sessions of others.
@Suite struct OwnSessionsTests {
    private func alive(_ clients: ClientFixture) async throws -> Set<[UInt8]> {
        let rows = try await clients.fixture.database.query("SELECT session_id FROM sessions WHERE ended_at IS NULL")
        return Set(try rows.map { try $0.value(as: [UInt8].self) })
    }

    private func own(_ clients: ClientFixture) -> OwnSessions { clients.fixture.accounts.openID.ownSessions }

    /// The name of a session in the forms of the page.
    private func name(_ session: Session) -> String { Hex.encode(session.id) }

    private func actions(_ clients: ClientFixture) async throws -> [String] {
        try await AuditEvents(database: clients.fixture.database).list(limit: 20, in: clients.project.id).map(\.action)
            .filter { $0 != "account.created" }
    }

    @Test func `lists the living sessions of the person alone, with the relying party of each`() async throws {
        let clients = try await ClientFixture()
        let (browser, granted) = try await clients.granted()
        _ = try await clients.signUp("eve@example.com")
        let ended = try await clients.signIn()
        try await own(clients).end(name(ended.session), in: browser, of: clients.project, from: clients.client)
        let (entries, devices) = try await own(clients).list(in: browser, of: clients.project)
        #expect(Set(entries.map(\.id)) == [browser.session.id, granted.session.id] && devices == 0)
        #expect(entries.first { $0.kind == .client }?.clientID == clients.app.id)
        #expect(entries.first { $0.kind == .browser }?.userAgent == "browser")
    }

    @Test func `ends a session once, and records it once`() async throws {
        let clients = try await ClientFixture()
        let (browser, other) = (try await clients.signUp(), try await clients.signIn())
        for _ in 0..<2 { try await own(clients).end(name(other.session), in: browser, of: clients.project, from: clients.client) }
        #expect(try await alive(clients) == [browser.session.id])
        #expect(try await actions(clients) == ["sessions.ended"])
    }

    @Test func `ends with another browser's session those of its relying parties`() async throws {
        let clients = try await ClientFixture()
        let (other, granted) = try await clients.granted(scopes: ["openid"])
        let browser = try await clients.signIn()
        #expect(try await alive(clients) == [other.session.id, granted.session.id, browser.session.id])
        try await own(clients).end(name(other.session), in: browser, of: clients.project, from: clients.client)
        #expect(try await alive(clients) == [browser.session.id])
    }

    @Test func `ends all others, but not this one and its relying parties'`() async throws {
        let clients = try await ClientFixture()
        let (browser, granted) = try await clients.granted()
        let (eve, _) = (try await clients.signUp("eve@example.com"), try await clients.signIn())
        try await own(clients).endOthers(in: browser, of: clients.project, from: clients.client)
        #expect(try await alive(clients) == [browser.session.id, granted.session.id, eve.session.id])
    }

    @Test(arguments: ["another's", "this one", "no hexadecimal", "unknown", "empty"])
    func `ends nothing by a name that is not one of another session of the person`(_ kind: String) async throws {
        let clients = try await ClientFixture()
        let (ada, eve) = (try await clients.signUp(), try await clients.signUp("eve@example.com"))
        let names = ["another's": name(eve.session), "this one": name(ada.session), "no hexadecimal": "zz", "unknown": "00"]
        try await own(clients).end(names[kind] ?? "", in: ada, of: clients.project, from: clients.client)
        #expect(try await alive(clients) == [ada.session.id, eve.session.id])
        #expect(try await actions(clients).isEmpty)
    }

    @Test func `does nothing in a session that has ended, nor in that of another project`() async throws {
        let clients = try await ClientFixture()
        let (ended, other) = (try await clients.signUp(), try await clients.signIn())
        var foreign = clients.project
        foreign.id = "other"
        foreign.storageID = "other"
        try await own(clients).end(name(other.session), in: ended, of: foreign, from: clients.client)
        await expectRefusal("conflict") { try await own(clients).endOthers(in: ended, of: foreign, from: clients.client) }
        try await own(clients).end(name(ended.session), in: other, of: clients.project, from: clients.client)
        await expectRefusal("conflict") { try await own(clients).endOthers(in: ended, of: clients.project, from: clients.client) }
        await expectRefusal("conflict") { try await own(clients).forgetDevices(in: ended, of: clients.project, from: clients.client) }
        #expect(try await alive(clients) == [other.session.id])
    }

    @Test func `forgets the remembered browsers of the person alone`() async throws {
        let clients = try await ClientFixture()
        let (ada, eve) = (try await clients.signUp(), try await clients.signUp("eve@example.com"))
        let now = clients.fixture.time.clock.now()
        _ = try await clients.fixture.database.write(
            """
            INSERT INTO remembered_devices (project_id, account_id, device_hash, created_at, used_at, expires_at)
            SELECT project_id, account_id, sha256(account_id::bytea), \(now), \(now), \(now + .seconds(60)) FROM accounts
            """)
        #expect(try await own(clients).list(in: ada, of: clients.project).devices == 1)
        try await own(clients).forgetDevices(in: ada, of: clients.project, from: clients.client)
        #expect(try await own(clients).list(in: ada, of: clients.project).devices == 0)
        #expect(try await own(clients).list(in: eve, of: clients.project).devices == 1)
        #expect(try await actions(clients) == ["rememberedDevices.forgotten"])
    }
}
