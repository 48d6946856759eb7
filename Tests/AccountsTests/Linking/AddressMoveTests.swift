@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// The back end signs an attacker in to an account of their own, by custom tokens, and the attacker puts the victim's address on it.
@Suite struct AddressMoveTests {
    /// How the victim proves the address.
    enum Arrival: CaseIterable, Sendable { case provider, reset, link }

    private static let victim = "victim@example.com"

    /// The attacker's account, with the victim's address, a password and an identity.
    private func trap(_ fixture: Fixture, _ email: String = victim) async throws -> (account: Account, session: Session) {
        let (account, session, _) = try await fixture.signUp(email, password: "the attacker's")
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "attacker"), .link(fixture.token(account, session)))
        try await letIn(account.id, fixture)
        return (try #require(try await fixture.stored(account.id)), session)
    }

    /// What a custom token leaves in the account that it signs in to.
    private func letIn(_ id: String, _ fixture: Fixture) async throws {
        _ = try await fixture.database.write("UPDATE accounts SET custom_auth = true WHERE account_id = \(id)")
    }

    /// Gives the account that the victim has then.
    private func arrive(_ arrival: Arrival, _ fixture: Fixture) async throws -> Account {
        switch arrival {
        case .provider:
            return try await fixture.signIn(Fixture.ada("oidc.strict", subject: "victim", email: Self.victim, authoritative: true)).account
        case .reset:
            let code = try await fixture.resetCode(Self.victim)
            let (_, account) = try await fixture.accounts.codes.resetPassword(
                code, to: "the victim's own", language: "en", in: fixture.project, from: Fixture.here)
            await expectRefusal("invalidActionCode") {
                try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
            }
            #expect(try await fixture.signsIn(Self.victim, "the victim's own"))
            return account
        case .link:
            return try await fixture.enter(try await fixture.linkCode(Self.victim), Self.victim).account
        }
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 the address moves to a new account, and the former keeps what the back end and its holder gave it`(
        arrival: Arrival
    ) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session) = try await trap(fixture)
        let waiting = try await fixture.changeCode(try fixture.idToken(account, session), to: "attacker@example.com")
        let owner = try await arrive(arrival, fixture)
        #expect(owner.id != account.id)
        let own = try #require(try await fixture.stored(owner.id))
        #expect(own.email == Self.victim && own.emailProven && own.emailVerified && !own.customAuth)
        #expect(own.identities.map(\.providerID) == (arrival == .provider ? ["oidc.strict"] : []))

        let left = try #require(try await fixture.stored(account.id))
        #expect(left.email == nil && !left.emailVerified && !left.hasEmailSignIn && left.customAuth)
        #expect(left.identities == account.identities && left.validSince == account.validSince && left.sessionsEndedAt == nil)
        #expect(try await fixture.refreshes(session))
        #expect(try await !fixture.signsIn(Self.victim, "the attacker's"))
        await expectRefusal("invalidActionCode") { try await fixture.apply(waiting) }

        let events = try await AuditEvents(database: fixture.database).list(of: account.id, limit: 10, in: "demo").dropFirst(2)
        #expect(events.map(\.action) == ["address.moved", "password.removed", "email.changed"])
        #expect(events.allSatisfy { $0.rule == "heldByBackEnd" })
        #expect(events.first?.details.contains(owner.id) == true)
    }

    @Test(arguments: Arrival.allCases)
    func `where apps may not make accounts, the address stays, and nothing is written`(arrival: Arrival) async throws {
        var fixture = try await Fixture.forCodes()
        let (account, session) = try await trap(fixture)
        let codes = [try await fixture.resetCode(Self.victim), try await fixture.linkCode(Self.victim)]
        fixture.project.signIn.signUp = false
        let closed = fixture
        let hashes = closed.passwords.hashesDone.value
        await expectRefusal("adminOnly") {
            switch arrival {
            case .provider: _ = try await arrive(.provider, closed)
            case .reset:
                _ = try await closed.accounts.codes.resetPassword(
                    codes[0], to: "the victim's own", language: "en", in: closed.project, from: Fixture.here)
            case .link: _ = try await closed.enter(codes[1], Self.victim)
            }
        }
        #expect(closed.passwords.hashesDone.value == hashes, "the code stays good, so who has it could ask for hashes without end")
        #expect(try await closed.stored(account.id)?.email == Self.victim)
        #expect(try await closed.refreshes(session))
        #expect(try await closed.count("accounts") == 1)
        for code in codes { _ = try await closed.accounts.codes.inspect(code, in: closed.project, from: Fixture.here) }
    }

    @Test func `an address that was proven stays with the account, whoever signs in to it besides`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session) = try await trap(fixture)
        try await fixture.apply(try await fixture.verifyCode(try fixture.idToken(account, session), Self.victim))
        for arrival in Arrival.allCases { #expect(try await arrive(arrival, fixture).id == account.id) }
    }

    @Test func `ways back to earlier addresses stay, and those to the address that moves end`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        let (account, session) = try await trap(fixture, "earlier@example.com")
        let token = try fixture.idToken(account, session)
        try await fixture.apply(try await fixture.verifyCode(token, "earlier@example.com"))
        var change = AccountChange()
        change.email = Self.victim
        _ = try await fixture.update(token, change)
        let back = try await fixture.code(.recoverEmail, to: "earlier@example.com")
        let owner = try await arrive(.provider, fixture)
        #expect(try await fixture.apply(back).id == account.id)
        #expect(try await fixture.stored(account.id)?.email == "earlier@example.com")
        #expect(try await fixture.stored(owner.id)?.email == Self.victim)
    }

    @Test func `SEC-02 no way back leads to an address that was not proven for an account that custom tokens open`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        func moveOn(_ account: Account, _ session: Session, to email: String) async throws {
            var change = AccountChange()
            change.email = email
            _ = try await fixture.update(try fixture.idToken(account, session), change)
        }
        let (account, session) = try await trap(fixture)
        try await moveOn(account, session, to: "attacker@example.com")
        #expect(try await fixture.codes(.recoverEmail, to: Self.victim).isEmpty)

        let (other, otherSession, _) = try await fixture.signUp(Self.victim, password: "the attacker's")
        try await moveOn(other, otherSession, to: "other@example.com")
        let back = try await fixture.code(.recoverEmail, to: Self.victim)
        try await letIn(other.id, fixture)
        let open = fixture
        await expectRefusal("invalidActionCode") { try await open.apply(back) }
        #expect(try await open.stored(other.id)?.email == "other@example.com")
    }

    @Test func `SEC-02 no takeover is stored once a custom token has signed in`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.victim, password: "the attacker's")
        var taken = account
        taken.clearForTakeover(at: fixture.time.clock.now())
        try await letIn(account.id, fixture)
        let storage = Storage(database: fixture.database)
        await expectRefusal("conflict") { [taken] in
            try await storage.write(all: [taken.update(account, takeover: true, in: fixture.project)])
        }
        #expect(try await fixture.refreshes(session))
    }

    @Test func `SEC-02 a takeover keeps what an administrator writes at the same moment, unless a person has used the account`()
        async throws
    {
        let fixture = try await Fixture.forCodes()
        let storage = Storage(database: fixture.database)
        func change(_ id: String, _ name: String) async throws {
            var change = AdministratorChange()
            change.own.displayName = .set(name)
            _ = try await fixture.accounts.administration.accounts.update(id, change, by: fixture.operator)
        }
        var made = AdministratorChange()
        made.own.email = Self.victim
        made.own.password = "an administrator's"
        made.own.displayName = .set("Ada")
        made.phoneNumber = .set("+4917012345678")
        let account = try await fixture.accounts.administration.accounts.create("unused", made, by: fixture.operator)
        var taken = account
        taken.join(Fixture.ada(email: Self.victim), takeover: true, oneAccountPerEmail: true, at: fixture.time.clock.now())
        try await change(account.id, "Ada Lovelace")
        _ = try await storage.write(all: [taken.update(account, takeover: true, in: fixture.project)])
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.displayName == "Ada Lovelace" && stored.phoneNumber == nil && !stored.hasPassword)

        let used = try await fixture.signUp("other@example.com", password: "the attacker's").account
        var takenToo = used
        takenToo.join(Fixture.ada(email: "other@example.com"), takeover: true, oneAccountPerEmail: true, at: fixture.time.clock.now())
        try await change(used.id, "Mallory")
        _ = try await storage.write(all: [takenToo.update(used, takeover: true, in: fixture.project)])
        #expect(try await fixture.stored(used.id)?.displayName == takenToo.displayName)
    }

    @Test func `SEC-02 a takeover of an account that no person had used is undone once one has`() async throws {
        let fixture = try await Fixture.forCodes()
        var made = AdministratorChange()
        made.own.email = Self.victim
        made.own.password = "an administrator's"
        let account = try await fixture.accounts.administration.accounts.create(nil, made, by: fixture.operator)
        #expect(try await fixture.signsIn(Self.victim, "an administrator's"))
        var taken = account
        taken.clearForTakeover(at: fixture.time.clock.now())
        await expectRefusal("conflict") { [taken] in
            try await Storage(database: fixture.database).write(all: [taken.update(account, takeover: true, in: fixture.project)])
        }
    }
}
