@testable import Accounts
import Identity
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct FederatedSignInTests {
    @Test func `makes an account for a new person and finds it again`() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.signIn(Fixture.ada(email: "Ada@Example.com"))
        #expect(first.isNew)
        #expect(first.account.email == "ada@example.com")
        #expect(first.account.id.count == 28)
        fixture.time.advance(.seconds(5))
        let second = try await fixture.signIn(Fixture.ada(email: "new@example.com"))
        #expect(!second.isNew)
        #expect(second.account.id == first.account.id)
        #expect(second.account.email == "ada@example.com", "SEC-04: what matches accounts does not follow the provider's profile")
        let stored = try await fixture.accounts.directory.account(first.account.id, in: fixture.project)
        #expect(stored == second.account)
    }

    @Test func `an account keeps no address of a provider that cannot be mailed`() async throws {
        let fixture = try await Fixture()
        let made = try await fixture.signIn(Fixture.ada(email: "ren\u{E9}@example.com", authoritative: true))
        let stored = try #require(try await fixture.accounts.directory.account(made.account.id, in: fixture.project))
        #expect(stored.email == nil)
        #expect(!stored.emailVerified)
        #expect(!stored.emailProven)
    }

    @Test func `an account keeps a provider's name without characters that mislead a reader`() async throws {
        let fixture = try await Fixture()
        var ada = Fixture.ada()
        ada.displayName = "Ada\u{202E}moc.elpmaxe"
        let made = try await fixture.signIn(ada)
        let stored = try #require(try await fixture.accounts.directory.account(made.account.id, in: fixture.project))
        #expect(stored.displayName == "Adamoc.elpmaxe")
    }

    @Test func `an identity keeps a name that its provider says only once, and another provider's name follows the provider`() async throws
    {
        let fixture = try await Fixture()
        for saysNameOnce in [true, false] {
            var person = Fixture.ada(subject: "once-\(saysNameOnce)")
            person.saysNameOnce = saysNameOnce
            _ = try await fixture.signIn(person)
            for (name, kept) in [(nil, saysNameOnce ? "Ada" : nil), ("Augusta", "Augusta"), (nil, saysNameOnce ? "Augusta" : nil)] {
                person.displayName = name
                let again = try await fixture.signIn(person).account
                #expect(again.identities.map(\.displayName) == [kept])
                #expect(try await fixture.accounts.directory.account(again.id, in: fixture.project) == again)
            }
        }
    }

    @Test func `makes one account when one person signs in fifty times at once`() async throws {
        let fixture = try await Fixture()
        let ids = try await withThrowingTaskGroup(of: (String, Bool).self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let result = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
                    return (result.account.id, result.isNew)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids.map(\.0)).count == 1)
        #expect(ids.count { $0.1 } == 1)
    }

    @Test func `finds a person by the second form of their subject`() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.signIn(Fixture.ada("microsoft.com", subject: "4b2eabcdefabcdef"))
        var padded = Fixture.ada("microsoft.com", subject: "00000000-0000-0000-4b2e-abcdefabcdef")
        padded.alias = "4b2eabcdefabcdef"
        #expect(try await fixture.signIn(padded).account.id == first.account.id)
    }

    @Test func `finds a person by the name of another system once, and keeps them by the subject from then on`() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.signIn(Fixture.ada("microsoft.com", subject: "sub:pairwise"))
        var identity = Fixture.ada("microsoft.com", subject: "4b2eabcdefabcdef")
        identity.alias = "00000000-0000-0000-4b2e-abcdefabcdef"
        identity.tenant = "tenant-a"
        identity.importedSubject = "sub:pairwise"
        #expect(try await fixture.signIn(identity).account.id == first.account.id)
        let names = try await fixture.database.query("SELECT subject || ' ' || alias || ' ' || tenant FROM identities")
        #expect(try names.map { try $0.value(as: String.self) } == ["4b2eabcdefabcdef 00000000-0000-0000-4b2e-abcdefabcdef tenant-a"])
        identity.importedSubject = "sub:of another client"
        #expect(try await fixture.signIn(identity).account.id == first.account.id)
    }

    @Test func `SEC-03 refuses a known subject from another tenant`() async throws {
        let fixture = try await Fixture()
        var identity = Fixture.ada("microsoft.com")
        identity.tenant = "tenant-a"
        _ = try await fixture.signIn(identity)
        identity.tenant = "tenant-b"
        await #expect { try await fixture.signIn(identity) } throws: { if case AccountError.tenantChanged = $0 { true } else { false } }
    }

    @Test func `keeps projects apart`() async throws {
        let fixture = try await Fixture()
        let here = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
        var elsewhere = fixture
        elsewhere.project.id = "other"
        elsewhere.project.storageID = "other"
        let there = try await elsewhere.signIn(Fixture.ada(email: "ada@example.com"))
        #expect(there.isNew)
        #expect(here.account.id != there.account.id)
        #expect(try await fixture.accounts.directory.account(there.account.id, in: fixture.project) == nil)
    }

    @Test func `needs confirmation, and changes nothing, when the address is another account's`() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.signIn(Fixture.ada("oidc.a", email: "ada@example.com"))
        let outcome = try await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada("oidc.b", email: "ada@example.com")), .signIn(mayCreate: true), language: "en",
            in: fixture.project, from: Session.ClientInfo(userAgent: nil, address: "::1"))
        guard case .needsConfirmation(let account) = outcome else { throw Unexpected.outcome(outcome) }
        #expect(account.id == first.account.id)
        #expect(try await fixture.accounts.directory.account(first.account.id, in: fixture.project)?.identities.count == 1)
    }

    @Test func `SEC-02 ends what an attacker left in an account made for the owner's address`() async throws {
        let fixture = try await Fixture()
        let attacker = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"))
        let stolen = fixture.sessions.refreshToken(for: attacker.session, in: fixture.project)
        fixture.time.advance(.seconds(60))
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true))
        #expect(owner.account.id == attacker.account.id)
        #expect(owner.account.identities.map(\.providerID) == ["oidc.strict"])
        #expect(owner.account.emailProven && owner.account.emailVerified)
        #expect(owner.account.validSince > attacker.account.validSince)
        await #expect { try await fixture.sessions.refresh(stolen, in: fixture.project) } throws: {
            if case AccountError.sessionEnded = $0 { true } else { false }
        }
        let back = try await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com")), .signIn(mayCreate: true),
            language: "en", in: fixture.project, from: Session.ClientInfo(userAgent: nil, address: "::1"))
        guard case .needsConfirmation = back else { throw Unexpected.outcome(back) }
    }

    @Test func `a takeover keeps the claims that an administrator gave, and drops the maker's profile`() async throws {
        let fixture = try await Fixture()
        let maker = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"))
        _ = try await fixture.database.write(
            "UPDATE accounts SET custom_attributes = '{\"role\":\"staff\"}', display_name = 'Mallory' WHERE account_id = \(maker.account.id)"
        )
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true))
        let stored = try #require(try await fixture.accounts.directory.account(owner.account.id, in: fixture.project))
        #expect(stored.id == maker.account.id && stored.customAttributes == #"{"role":"staff"}"# && stored.displayName == "Ada")
        #expect(owner.account.customAttributes == stored.customAttributes)
    }

    @Test func `a provider that joins an account of a proven address fills what is empty and nothing else`() async throws {
        let fixture = try await Fixture()
        var first = Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true)
        first.displayName = nil
        let made = try await fixture.signIn(first)
        var second = Fixture.ada("oidc.a", email: "ada@example.com", authoritative: true)
        second.photoURL = "https://example.com/ada.png"
        let joined = try await fixture.signIn(second)
        #expect(joined.account.id == made.account.id)
        #expect(joined.account.displayName == "Ada" && joined.account.photoURL == "https://example.com/ada.png")
        var third = Fixture.ada("oidc.b", email: "ada@example.com", authoritative: true)
        third.displayName = "Another Name"
        #expect(try await fixture.signIn(third).account.displayName == "Ada")
        #expect(
            try await fixture.accounts.directory.account(made.account.id, in: fixture.project)?.photoURL == "https://example.com/ada.png")
    }

    @Test func `SEC-73 a link keeps the caller's time of authentication, and an anonymous account begins now`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signIn(Fixture.ada("oidc.a"))
        fixture.time.advance(.seconds(3600))
        let linked = try await fixture.signIn(Fixture.ada("oidc.b"), .link(fixture.token(account, session)))
        #expect(linked.session.authTime == session.authTime)
        let (guest, anonymous) = try await fixture.signUpAnonymously()
        fixture.time.advance(.seconds(3600))
        let upgraded = try await fixture.signIn(Fixture.ada("oidc.b", subject: "guest"), .link(fixture.token(guest, anonymous)))
        #expect(upgraded.session.authTime == fixture.time.clock.now())
    }

    @Test func `links an identity to the signed-in account`() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.signIn(Fixture.ada("oidc.a"))
        let linked = try await fixture.signIn(Fixture.ada("oidc.b", email: "ada@example.com"), .link(fixture.token(first.account)))
        #expect(linked.account.id == first.account.id)
        #expect(linked.account.email == "ada@example.com")
        let again = try await fixture.signIn(Fixture.ada("oidc.b"))
        #expect(again.account.id == first.account.id)
    }

    @Test func `deletes an account with all that hangs on it`() async throws {
        let fixture = try await Fixture()
        let (account, session, _) = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
        let token = fixture.sessions.refreshToken(for: session, in: fixture.project)
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        #expect(try await fixture.accounts.directory.account(account.id, in: fixture.project) == nil)
        await #expect { try await fixture.accounts.deletion.delete(account.id, by: fixture.operator) } throws: {
            if case AccountError.accountNotFound = $0 { true } else { false }
        }
        await #expect { try await fixture.sessions.refresh(token, in: fixture.project) } throws: {
            if case AccountError.sessionEnded = $0 { true } else if case AccountError.accountNotFound = $0 { true } else { false }
        }
        let next = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
        #expect(next.isNew)
        #expect(next.account.id != account.id)
    }

    @Test func `SEC-02 links nothing to an account that was taken over, revoked or disabled since its token was issued`() async throws {
        let fixture = try await Fixture()
        let attacker = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"))
        let token = fixture.token(attacker.account)
        fixture.time.advance(.seconds(2))
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true))
        await #expect { try await fixture.signIn(Fixture.ada("oidc.b", subject: "mallory"), .link(token)) } throws: {
            if case AccountError.sessionEnded = $0 { true } else { false }
        }
        let fresh = fixture.token(owner.account, owner.session)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true")
        await #expect { try await fixture.signIn(Fixture.ada("oidc.b", subject: "mallory"), .link(fresh)) } throws: {
            if case AccountError.accountDisabled = $0 { true } else { false }
        }
        #expect(
            try await fixture.accounts.directory.account(owner.account.id, in: fixture.project)?.identities.map(\.providerID) == [
                "oidc.strict"
            ])
    }

    @Test func `SEC-02 keeps nothing of a sign-in that a takeover came before`() async throws {
        let fixture = try await Fixture()
        let trap = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"))
        let account = trap.account
        let (overtaking, begun) = AsyncStream.makeStream(of: Void.self)
        let takeover = Task {
            try await fixture.database.transaction { transaction in
                _ = try await transaction.query("UPDATE accounts SET valid_since = valid_since + interval '1 second' RETURNING account_id")
                _ = try await transaction.query("DELETE FROM identities RETURNING subject")
                begun.yield()
                // Wait until the sign-in waits for the account's lock.
                while try await fixture.database.query(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                ).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            }
        }
        for await _ in overtaking { break }
        let late = try? await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com")), .signIn(mayCreate: true),
            language: "en", in: fixture.project,
            from: Session.ClientInfo(userAgent: nil, address: "::1"))
        try await takeover.value
        if case .signedIn? = late { Issue.record("an identity that is gone signed in") }
        #expect(try await fixture.accounts.directory.account(account.id, in: fixture.project)?.identities == [])
        let rows = try await fixture.database.query("SELECT count(*) FROM sessions")
        #expect(try rows.first?.value(as: Int64.self) == 1)
    }

    @Test func `no token says that its person authenticated before the time from which tokens are valid`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let provenAt = fixture.time.clock.now()
        fixture.time.advance(.seconds(5))
        let (owner, other) = (Fixture.ada(email: "ada@example.com", authoritative: true), Fixture.ada(subject: "new"))
        for identity in [owner, other] {
            let (account, session, _) = try await fixture.signIn(identity, provenAt: provenAt)
            #expect(session.authTime.seconds >= account.validSince.seconds && session.authTime > provenAt)
        }
    }

    @Test func `refuses a proof from before the account was revoked`() async throws {
        let fixture = try await Fixture()
        let (account, _, _) = try await fixture.signIn(Fixture.ada())
        let provenAt = fixture.time.clock.now()
        fixture.time.advance(.seconds(5))
        #expect(try await fixture.signIn(Fixture.ada(), provenAt: provenAt).session.authTime == provenAt)
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        await #expect {
            try await fixture.signIn(Fixture.ada(), provenAt: provenAt)
        } throws: {
            if case AccountError.invalidPendingToken = $0 { true } else { false }
        }
    }
}
