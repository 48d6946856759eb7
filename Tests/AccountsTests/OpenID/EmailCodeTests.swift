@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct EmailCodeTests {
    /// The digits of the newest mail.
    private func sent(_ clients: ClientFixture) async throws -> String {
        try #require(try await clients.fixture.outbox.recent(in: clients.project).first?.oneTimeCode)
    }

    private func proves(_ digits: String, _ authorization: PendingAuthorization, _ clients: ClientFixture) async throws -> Bool {
        do {
            try await clients.requests.proveEmail(UTF8Text(digits), of: authorization, in: clients.project, from: clients.client)
            return true
        } catch AccountError.invalidActionCode, AccountError.voidDigits {
            return false
        }
    }

    private func asked(_ clients: ClientFixture, _ email: String = "ada@example.com") async throws -> PendingAuthorization {
        // Mails are in the order of their times.
        clients.fixture.time.advance(.milliseconds(1))
        let (authorization, cookie) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        try await clients.requests.sendEmailCode(
            to: email, for: authorization, .signUp, language: "en", in: clients.project, from: clients.client)
        return try #require(try await clients.requests.waiting(authorization.id, cookie: UTF8Text(cookie), in: clients.project))
    }

    @Test func `proves an address by the digits that were mailed to it, until a step has used the proof up`() async throws {
        let clients = try await ClientFixture()
        let authorization = try await asked(clients)
        let digits = try await sent(clients)
        #expect(digits.utf8.count == 6)
        let wrong = digits == "000000" ? "000001" : "000000"
        #expect(try await !proves(wrong, authorization, clients))
        for _ in 0..<6 { #expect(try await proves(digits, authorization, clients)) }
        // Other digits do not pass because the right ones have been entered before.
        #expect(try await !proves(wrong, authorization, clients))
        _ = try await clients.requests.signInCode(for: authorization, of: nil, in: clients.project)
        #expect(try await !proves(digits, authorization, clients))
    }

    @Test func `a form with right digits that is sent again after ten minutes proves nothing more`() async throws {
        let clients = try await ClientFixture()
        let authorization = try await asked(clients)
        let digits = try await sent(clients)
        #expect(try await proves(digits, authorization, clients))
        clients.fixture.time.advance(EmailCodes.lifetime)
        #expect(try await !proves(digits, authorization, clients))
    }

    @Test func `SEC-15 mails digits to the addresses that the step is for, and hides the others`() async throws {
        var clients = try await ClientFixture()
        _ = try await clients.signUp()
        let disabled = try await clients.signUp("bob@example.com").account
        _ = try await clients.fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(disabled.id)")
        let cases: [(EmailCodes.Purpose, mailed: Set<String>)] = [
            (.signUp, ["ada", "bob", "new"]), (.signIn(makesAccounts: true), ["ada", "new"]), (.signIn(makesAccounts: false), ["ada"]),
            (.resetPassword, ["ada"]),
        ]
        for scope in LimitScope.allCases { clients.fixture.project.limits[.sendEmailCode, scope] = nil }
        for isProtected in [true, false] {
            clients.fixture.project.emailEnumerationProtection = isProtected
            for (purpose, mailed) in cases {
                for name in ["ada", "bob", "new"] {
                    let (authorization, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
                    let before = try await clients.fixture.outbox.recent(in: clients.project).count
                    let email = "\(name)@example.com", asked = clients
                    let send = {
                        try await asked.requests.sendEmailCode(
                            to: email, for: authorization, purpose, language: "en", in: asked.project, from: asked.client)
                    }
                    if isProtected || mailed.contains(name) {
                        try await send()
                    } else {
                        await expectRefusal(name == "bob" ? "accountDisabled" : "noSuchEmail") { try await send() }
                    }
                    let after = try await clients.fixture.outbox.recent(in: clients.project).count
                    #expect((after > before) == mailed.contains(name), "\(purpose), \(name)")
                }
            }
        }
    }

    @Test func `takes the digits of one request for no other`() async throws {
        let clients = try await ClientFixture()
        let authorization = try await asked(clients)
        let digits = try await sent(clients)
        let other = try await asked(clients)
        let theirs = try await sent(clients)
        let passes = try await proves(digits, other, clients)
        #expect(passes == (theirs == digits))
        #expect(try await proves(digits, authorization, clients))
    }

    @Test func `takes no digits after five wrong tries, and none after ten minutes`() async throws {
        let clients = try await ClientFixture()
        let authorization = try await asked(clients)
        let digits = try await sent(clients)
        let wrong = digits == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try await !proves(wrong, authorization, clients)) }
        #expect(try await !proves(digits, authorization, clients))
        let late = try await asked(clients)
        let next = try await sent(clients)
        clients.fixture.time.advance(EmailCodes.lifetime)
        #expect(try await !proves(next, late, clients))
    }

    @Test func `SEC-50 sets the password of a proven address once, and not after sessions were ended`() async throws {
        let clients = try await ClientFixture()
        let fixture = clients.fixture
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        fixture.time.advance(.seconds(5))
        let reset = { (authorization: PendingAuthorization, password: String) in
            try await clients.requests.resetPassword(
                for: authorization, to: password, language: "en", in: clients.project, from: clients.client)
        }
        let authorization = try await asked(clients)
        await expectRefusal("invalidActionCode") { try await reset(authorization, "second password") }
        #expect(try await proves(try await sent(clients), authorization, clients))
        let before = fixture.database.roundTrips
        let fresh = try await reset(authorization, "second password").session
        #expect(fixture.database.roundTrips - before == 5)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.emailProven && stored.lastLoginAt == fixture.time.clock.now())
        #expect(try await !fixture.refreshes(session))
        #expect(try await fixture.refreshes(fresh))
        #expect(try await !fixture.signsIn("ada@example.com", "first password"))
        #expect(try await fixture.signsIn("ada@example.com", "second password"))
        await expectRefusal("invalidActionCode") { try await reset(authorization, "third password") }

        fixture.time.advance(.seconds(5))
        let newest = { try #require(try await fixture.outbox.recent(in: clients.project).first?.oneTimeCode) }
        let late = try await asked(clients)
        #expect(try await proves(try await newest(), late, clients))
        fixture.time.advance(.seconds(5))
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        await expectRefusal("invalidActionCode") { try await reset(late, "third password") }
        #expect(try await fixture.signsIn("ada@example.com", "second password"))

        fixture.time.advance(.seconds(5))
        let disabled = try await asked(clients)
        #expect(try await proves(try await newest(), disabled, clients))
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(account.id)")
        await expectRefusal("accountDisabled") { try await reset(disabled, "third password") }
    }

    private enum Ending: CaseIterable {
        case password, revocation, reset, deletion, deletionOfMany
    }

    @Test(arguments: Ending.allCases)
    private func `SEC-50 an ending voids the digits of before, whether or not they have proven the address`(_ ending: Ending) async throws {
        let clients = try await ClientFixture()
        let fixture = clients.fixture
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        fixture.time.advance(.seconds(5))
        let proven = try await asked(clients)
        #expect(try await proves(try await sent(clients), proven, clients))
        let unproven = try await asked(clients)
        let digits = try await sent(clients)
        let ofAnother = try await self.asked(clients, "bob@example.com")
        #expect(try await proves(try await sent(clients), ofAnother, clients))
        fixture.time.advance(.seconds(5))
        switch ending {
        case .password:
            var change = AccountChange()
            change.password = "second password"
            _ = try await fixture.update(try fixture.idToken(account, session), change)
        case .revocation: try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        case .reset:
            let other = try await asked(clients)
            #expect(try await proves(try await sent(clients), other, clients))
            _ = try await clients.requests.resetPassword(
                for: other, to: "second password", language: "en", in: clients.project, from: clients.client)
        case .deletion: try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        case .deletionOfMany: _ = try await fixture.accounts.deletion.deleteAll(of: [account.id], enabledToo: true, by: fixture.operator)
        }
        fixture.time.advance(.seconds(5))
        let now = try await fixture.stored(account.id)
        await expectRefusal("invalidActionCode") { _ = try await clients.requests.signInCode(for: proven, of: now, in: clients.project) }
        await expectRefusal(now == nil ? "invalidActionCode" : "emailTaken") {
            _ = try await fixture.accounts.signIn.signUps.signUp(
                email: "ada@example.com", password: "third password", displayName: nil, provenAt: proven,
                in: clients.project, from: clients.client)
        }
        #expect(try await !proves(digits, unproven, clients))
        let made = try await fixture.accounts.signIn.signUps.signUp(
            email: "bob@example.com", password: "a new password", displayName: nil, provenAt: ofAnother,
            in: clients.project, from: clients.client)
        #expect(made.0.emailProven)
        await expectRefusal("invalidActionCode") { _ = try await clients.requests.signInCode(for: ofAnother, of: nil, in: clients.project) }
    }

    @Test func `SEC-50 a proof signs in once, and not the account that sessions were ended of meanwhile`() async throws {
        let clients = try await ClientFixture()
        let fixture = clients.fixture
        let account = try await fixture.signUp("ada@example.com").account
        fixture.time.advance(.seconds(5))
        let first = try await asked(clients)
        #expect(try await proves(try await sent(clients), first, clients))
        let code = try await clients.requests.signInCode(for: first, of: account, in: clients.project)
        await expectRefusal("invalidActionCode") { _ = try await clients.requests.signInCode(for: first, of: account, in: clients.project) }
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        await expectRefusal("invalidActionCode") {
            _ = try await fixture.accounts.signIn.emailLinks.signIn(
                withLink: code, email: "ada@example.com", language: "en", in: clients.project, from: clients.client)
        }
        // As an ending leaves it that commits between the reading of the account and the code.
        let second = try await asked(clients)
        #expect(try await proves(try await sent(clients), second, clients))
        await expectRefusal("invalidActionCode") {
            _ = try await clients.requests.signInCode(for: second, of: account, in: clients.project)
        }
    }

    @Test func `SEC-16 tells digits that could have been right from void ones`() async throws {
        let clients = try await ClientFixture()
        let authorization = try await asked(clients)
        let digits = try await sent(clients)
        let wrong = digits == "000000" ? "000001" : "000000"
        for _ in 1...EmailCodes.tries {
            await expectRefusal("invalidActionCode") {
                try await clients.requests.proveEmail(UTF8Text(wrong), of: authorization, in: clients.project, from: clients.client)
            }
        }
        await expectRefusal("voidDigits") {
            try await clients.requests.proveEmail(UTF8Text(digits), of: authorization, in: clients.project, from: clients.client)
        }
    }
}
