@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import WebAuthn

/// The attacks on passkeys that need a database to be tried.
@Suite struct PasskeyAttackTests {
    private static let ada = "ada@example.com"

    private func enrolled(_ fixture: Fixture) async throws -> (account: Account, idToken: String, authenticator: SoftAuthenticator) {
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        return (account, idToken, try await fixture.enrol(idToken).authenticator)
    }

    @Test func `SEC-40 of fifty uses of one answer at once, one signs in`() async throws {
        let fixture = try await Fixture.forPasskeys()
        var authenticator = try await enrolled(fixture).authenticator
        authenticator.answer(try await fixture.startSignIn().challenge, "webauthn.get")
        let response = try authenticator.assertion()
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await fixture.finishSignIn(response)
                        return "in"
                    } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["in"] == 1)
        #expect(outcomes["passkeyChallengeRefused", default: 0] + outcomes["conflict", default: 0] == 49, "\(outcomes)")
        await expectRefusal("passkeyChallengeRefused") { try await fixture.finishSignIn(response) }
    }

    @Test func `SEC-40 of twenty uses of one registration at once, one is stored`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let authenticator = try fixture.authenticator(answering: try await fixture.startEnrolment(idToken))
        let response = try authenticator.registration()
        let stored = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { (try? await fixture.finishEnrolment(idToken, response)) == nil ? 0 : 1 } }
            return await group.reduce(0, +)
        }
        #expect(stored == 1)
        #expect(try await fixture.stored(account.id)?.passkeys.count == 1)
        // The same challenge for another key.
        var other = authenticator
        other.credentialID = Random.bytes(16)
        await expectRefusal("passkeyChallengeRefused") { [other] in try await fixture.finishEnrolment(idToken, try other.registration()) }
    }

    @Test func `SEC-40 a challenge is good for its own ceremony, account and project alone`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (_, idToken, authenticator) = try await enrolled(fixture)
        let (_, _, bob) = try await fixture.signUp("bob@example.com")
        let registration = try await fixture.startEnrolment(idToken).challenge
        let signIn = try await fixture.startSignIn().challenge
        await expectRefusal("passkeyChallengeRefused") {
            try await fixture.signIn(with: authenticator) { $0.answer(registration, "webauthn.get") }
        }
        var new = authenticator
        new.credentialID = Random.bytes(16)
        for challenge in [signIn, registration, Random.bytes(33)] {
            new.answer(challenge, "webauthn.create")
            await expectRefusal("passkeyChallengeRefused") { [new] in try await fixture.finishEnrolment(bob, try new.registration()) }
        }
        new.answer(try await fixture.other.startSignIn().challenge, "webauthn.get")
        await expectRefusal("passkeyChallengeRefused") { [new] in try await fixture.finishSignIn(try new.assertion()) }
        fixture.time.advance(.seconds(601))
        new.answer(signIn, "webauthn.get")
        await expectRefusal("passkeyChallengeRefused") { [new] in try await fixture.finishSignIn(try new.assertion()) }
    }

    @Test func `SEC-43 no second account registers a passkey that is registered`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, idToken, authenticator) = try await enrolled(fixture)
        let (_, _, bob) = try await fixture.signUp("bob@example.com")
        await expectRefusal("passkeyTaken") { try await fixture.enrol(bob, id: authenticator.credentialID) }
        await expectRefusal("passkeyTaken") { try await fixture.enrol(idToken, id: authenticator.credentialID) }
        #expect(try await fixture.signIn(with: authenticator).account.id == account.id)
    }

    @Test func `SEC-43 an assertion with another account's user handle is refused`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let authenticator = try await enrolled(fixture).authenticator
        let (_, _, bob) = try await fixture.signUp("bob@example.com")
        let other = try await fixture.enrol(bob).authenticator
        for handle in [other.userHandle, nil, []] {
            await expectRefusal("passkeyRefused(WebAuthn.RefusedCheck.userHandle)") {
                try await fixture.signIn(with: authenticator) { $0.userHandle = handle }
            }
        }
    }

    @Test func `SEC-45 refuses and flags a passkey that counts backwards, and tells the owner once`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, first) = try await fixture.signUp(Self.ada)
        try await fixture.apply(try await fixture.verifyCode(first, Self.ada))
        let idToken = try fixture.idToken(account, try await fixture.signIn(Self.ada).session)
        var authenticator = try fixture.authenticator(answering: try await fixture.startEnrolment(idToken))
        authenticator.flags = 0x45
        _ = try await fixture.finishEnrolment(idToken, try authenticator.registration())
        try await fixture.signIn(with: authenticator) { $0.signCount = 5 }
        for _ in 0..<2 {
            await expectRefusal("passkeyRefused(WebAuthn.RefusedCheck.counter)") {
                [authenticator] in try await fixture.signIn(with: authenticator) { $0.signCount = 5 }
            }
        }
        let passkey = try await fixture.registrations.list(of: try #require(try await fixture.stored(account.id)), in: fixture.project)
        #expect(passkey.first?.flaggedAt == fixture.time.clock.now())
        #expect(try await fixture.notices().map(\.kind.rawValue).sorted() == ["passkeyAdded", "passkeySuspected"])
        #expect(try await fixture.auditActions(of: account).filter { $0 == "passkey.suspected" }.count == 1)
        // The one that counts on is the person's own.
        try await fixture.signIn(with: authenticator) { $0.signCount = 6 }
    }

    @Test func `SEC-45 takes any count from a passkey that may be on several devices`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let authenticator = try await enrolled(fixture).authenticator
        for count: UInt32 in [5, 5, 4, 0, 7] { try await fixture.signIn(with: authenticator) { $0.signCount = count } }
    }

    @Test func `SEC-46 starts leave no row`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (_, idToken, _) = try await enrolled(fixture)
        let before = try await (fixture.count("spent_tokens"), fixture.count("rate_limits"), fixture.count("passkeys"))
        for _ in 0..<20 {
            _ = try await fixture.startSignIn()
            _ = try await fixture.startEnrolment(idToken)
        }
        let after = try await (fixture.count("spent_tokens"), fixture.count("rate_limits"), fixture.count("passkeys"))
        #expect(after.0 == before.0 && after.2 == before.2)
        // One for each of the limits that a client has.
        #expect(after.1 <= before.1 + 2)
    }

    @Test(arguments: ["reset", "link"])
    func `SEC-47 the owner of an address who proves it ends a stranger's passkey`(proof: String) async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, idToken, authenticator) = try await enrolled(fixture)
        let (_, session) = try await fixture.signIn(with: authenticator)
        if proof == "reset" {
            _ = try await fixture.accounts.codes.resetPassword(
                try await fixture.resetCode(Self.ada), to: "the owner's own", language: "en", in: fixture.project, from: Fixture.here)
        } else {
            _ = try await fixture.enter(try await fixture.linkCode(Self.ada), Self.ada)
        }
        #expect(try await fixture.stored(account.id)?.passkeys.isEmpty == true)
        await expectRefusal("noSuchPasskey") { try await fixture.signIn(with: authenticator) }
        #expect(try await !fixture.refreshes(session))
        await expectRefusal("sessionEnded") { try await fixture.caller(idToken) }
        #expect(try await fixture.auditActions(of: account).contains("passkey.removed"))
    }

    @Test func `SEC-47 a passkey that was added before the address was proven falls at the next reset`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, idToken, early) = try await enrolled(fixture)
        try await fixture.apply(try await fixture.verifyCode(idToken, Self.ada))
        fixture.time.advance(.seconds(1))
        let (_, session) = try await fixture.signIn(Self.ada)
        let late = try await fixture.enrol(try fixture.idToken(account, session)).authenticator
        _ = try await fixture.accounts.codes.resetPassword(
            try await fixture.resetCode(Self.ada), to: "the owner's own", language: "en", in: fixture.project, from: Fixture.here)
        #expect(try await fixture.stored(account.id)?.passkeys.map(\.credentialID) == [late.credentialID])
        await expectRefusal("noSuchPasskey") { try await fixture.signIn(with: early) }
    }

    @Test func `SEC-48 a passkey signs in to no other project`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let authenticator = try await enrolled(fixture).authenticator
        await expectRefusal("noSuchPasskey") { try await fixture.other.signIn(with: authenticator) }
    }

    @Test func `SEC-48 a passkey of another site does not answer for this one`() async throws {
        var fixture = try await Fixture.forPasskeys()
        let authenticator = try await enrolled(fixture).authenticator
        fixture.project.passkeys?.rpID = "example.org"
        let moved = fixture
        await expectRefusal("passkeyRefused(WebAuthn.RefusedCheck.relyingParty)") {
            try await moved.signIn(with: authenticator) { $0.rpID = "example.org" }
        }
    }

    @Test func `of passkeys that are added at once, no more are stored than the limit`() async throws {
        var fixture = try await Fixture.forPasskeys()
        fixture.project.passkeys?.limit = 3
        let limited = fixture
        let (account, _, idToken) = try await limited.signUp(Self.ada)
        let stored = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { (try? await limited.enrol(idToken)) == nil ? 0 : 1 } }
            return await group.reduce(0, +)
        }
        #expect(stored == 3)
        #expect(try await limited.stored(account.id)?.passkeys.count == 3)
    }
}
