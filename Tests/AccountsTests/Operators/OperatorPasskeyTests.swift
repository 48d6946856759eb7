import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import WebAuthn

@testable import Accounts

/// The passkeys of operators: how they are added, what they open, and when they open nothing.
@Suite(.takesTurns) struct OperatorPasskeyTests {
    private typealias Case = OperatorPasskeyFixture

    @Test func `a passkey signs its operator in, and both are recorded`() async throws {
        let it = try await Case()
        #expect(try await !it.operators.passkeys.exist(at: Case.site))
        let authenticator = try await it.enrolled()
        #expect(try await it.operators.passkeys.exist(at: Case.site))
        it.fixture.time.advance(.seconds(3600))
        let session = try await it.signIn(authenticator)
        #expect(session.person == Case.ann && session.isFresh(at: it.fixture.time.clock.now()))
        #expect(try await it.isOpen(session))
        let own = try #require(try await it.operators.passkeys.list(of: Case.ann).first)
        #expect(own.name == "Laptop" && own.lastUsedAt == it.fixture.time.clock.now() && own.flaggedAt == nil)
        #expect(try await it.recorded() == ["console.signedIn", "operator.passkeyAdded", "console.signedIn"])
        #expect(try await OperatorPasskeys.counts(in: it.fixture.database).map(\.count) == [1])
        let details = try await AuditEvents(database: it.fixture.database).list(limit: 10, in: AuditEvents.server).map(\.details)
        let id = Passkey.factorID(of: authenticator.credentialID)
        #expect(details.dropFirst().allSatisfy { $0.contains(id) } && details[1].contains("Laptop"))
    }

    @Test func `SEC-65 only a sign-in at the provider adds a passkey`() async throws {
        let it = try await Case()
        let now = it.fixture.time.clock.now()
        let provider = try await it.session()
        #expect(provider.isFreshAtProvider(at: now) && !provider.isFreshAtProvider(at: now + .seconds(301)))
        let byPasskey = try await it.signIn(try await it.enrolled())
        #expect(byPasskey.isFresh(at: now) && !byPasskey.isFreshAtProvider(at: now))
        let found = try #require(try await it.operators.sessions.find(UTF8Text(byPasskey.cookie), from: it.client))
        #expect(!found.isFreshAtProvider(at: now))
        // The rule itself demands it, too.
        let second = try await it.authenticator(in: byPasskey)
        await expectRefusal("conflict") { try await it.add(try second.registration(), in: byPasskey) }
        let code = try await it.operators.openings.make(reason: "a test", from: it.client.address, by: "console open")
        let open = try #require(try await it.operators.openings.use(UTF8Text(code), replacing: [], from: it.client, isOfThisMachine: false))
        #expect(!open.isFreshAtProvider(at: now))
        await expectRefusal("passkeysNotEnabled") { try await it.operators.passkeys.start(in: open, at: Case.site) }
    }

    @Test func `SEC-65 a registration is for its own session, and counts once`() async throws {
        let it = try await Case()
        let (ann, ben) = (try await it.session(), try await it.session(of: Case.ben))
        let response = try await it.authenticator(in: ann).registration()
        await expectRefusal("passkeyChallengeRefused") { try await it.add(response, in: ben) }
        await expectRefusal("passkeyResponseMissing") { try await it.add(nil, in: ann) }
        try await it.add(response, in: ann)
        await expectRefusal("passkeyTaken") { try await it.add(response, in: ann) }
        var other = try await it.authenticator(in: ann)
        try await it.add(try other.registration(), in: ann)
        // The same challenge for another key.
        other.credentialID = Random.bytes(16)
        await expectRefusal("passkeyChallengeRefused") { [other] in try await it.add(try other.registration(), in: ann) }
        let late = try await it.authenticator(in: ann)
        it.fixture.time.advance(.seconds(601))
        await expectRefusal("passkeyChallengeRefused") { try await it.add(try late.registration(), in: ann) }
        #expect(try await it.operators.passkeys.list(of: Case.ann).count == 2)
    }

    @Test func `a session that has ended adds none, and no person has more than ten`() async throws {
        let it = try await Case()
        let session = try await it.session()
        let late = try await it.authenticator(in: session)
        for _ in 0..<OperatorPasskeys.limit { try await it.add(try await it.authenticator(in: session).registration(), in: session) }
        await expectRefusal("passkeyLimitReached") { try await it.operators.passkeys.start(in: session, at: Case.site) }
        await expectRefusal("passkeyLimitReached") { try await it.add(try late.registration(), in: session) }
        let other = try await it.session(of: Case.ben)
        let response = try await it.authenticator(in: other).registration()
        try await it.operators.sessions.end(other)
        await expectRefusal("conflict") { try await it.add(response, in: other) }
        #expect(try await it.operators.passkeys.list(of: Case.ben).isEmpty)
    }

    @Test func `SEC-65 an answer opens the console once, and for the browser that was asked`() async throws {
        let it = try await Case()
        var authenticator = try await it.enrolled()
        authenticator.answer(it.operators.passkeys.question(to: it.browser, at: Case.site).challenge, "webauthn.get")
        let response = try authenticator.assertion()
        await expectRefusal("passkeyChallengeRefused") {
            try await it.operators.passkeys.used(in: response, by: Random.bytes(32), at: Case.site, from: it.client)
        }
        let used = try await it.finish(response)
        _ = try await it.begin(used)
        // The count of the passkey is the former one again, so only the challenge is in the way.
        await expectRefusal("passkeyChallengeRefused") { try await it.begin(try await it.finish(response)) }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            authenticator.answer(it.operators.passkeys.question(to: it.browser, at: Case.site).challenge, "webauthn.get")
            let response = try? authenticator.assertion()
            for _ in 0..<20 { group.addTask { (try? await it.begin(try await it.finish(response))) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(outcomes == 1)
        authenticator.answer(it.operators.passkeys.question(to: it.browser, at: Case.site).challenge, "webauthn.get")
        it.fixture.time.advance(.seconds(601))
        await expectRefusal("passkeyChallengeRefused") { [authenticator] in try await it.finish(try authenticator.assertion()) }
    }

    @Test func `SEC-65 an answer of another site, key, person or ceremony is refused`() async throws {
        let it = try await Case()
        let (ann, ben) = (try await it.enrolled(), try await it.enrolled(Case.ben))
        func refused(_ reason: String, _ change: @escaping (inout SoftAuthenticator) -> Void) async {
            await expectRefusal(reason) { try await it.used(ann, change) }
        }
        for origin in ["https://evil.example", "https://app.example.com.evil", "https://app.example.com:8443", "http://app.example.com"] {
            await refused("passkeyRefused(WebAuthn.RefusedCheck.origin)") {
                let challenge = $0.clientData["challenge"]
                $0.clientData = ["type": "webauthn.get", "challenge": challenge ?? "", "origin": .string(UTF8Text(origin))]
            }
        }
        await refused("passkeyRefused(WebAuthn.RefusedCheck.relyingParty)") { $0.rpID = "evil.example" }
        await refused("passkeyRefused(WebAuthn.RefusedCheck.userVerification)") { $0.flags = 0x19 }
        await refused("passkeyRefused(WebAuthn.RefusedCheck.userPresence)") { $0.flags = 0x1C }
        // The id is one operator's, and what it says of the person another's; an id that none has.
        await refused("passkeyRefused(WebAuthn.RefusedCheck.userHandle)") { $0.userHandle = ben.userHandle }
        await refused("noSuchPasskey") { $0.credentialID = Random.bytes(16) }
        await expectRefusal("passkeyResponseMissing") { try await it.finish(nil) }
        // The challenge of a registration, and one for people of projects.
        let registration = try await it.operators.passkeys.start(in: try await it.session(), at: Case.site).challenge
        await refused("passkeyChallengeRefused") { $0.answer(registration, "webauthn.get") }
        let context = Challenge.Context(projectID: "", rpID: Case.site.rpID, requiresUserVerification: true)
        let foreign = Challenge.make(.signIn, for: context, key: it.fixture.masterKey.passkeyChallenges[0], at: it.fixture.time.clock.now())
        await refused("passkeyChallengeRefused") { $0.answer(foreign.bytes, "webauthn.get") }
        #expect(try await it.used(ann).person == Case.ann)
    }

    @Test func `SEC-65 a passkey opens nothing once it is removed, and ends what it began`() async throws {
        let it = try await Case()
        let authenticator = try await it.enrolled()
        let (provider, opened) = (try await it.session(), try await it.signIn(authenticator))
        let used = try await it.used(authenticator)
        #expect(try await !it.operators.passkeys.remove(authenticator.credentialID, of: Case.ben, by: it.act()))
        #expect(try await it.operators.passkeys.remove(authenticator.credentialID, of: Case.ann, by: it.act()))
        #expect(try await !it.isOpen(opened))
        #expect(try await it.isOpen(provider))
        // One that was checked just before the removal, and one after it.
        await expectRefusal("conflict") { try await it.begin(used) }
        await expectRefusal("noSuchPasskey") { try await it.used(authenticator) }
        #expect(try await it.recorded().filter { $0 == "operator.passkeyRemoved" }.count == 1)
    }

    @Test func `SEC-65 who is unbound loses passkeys and sessions`() async throws {
        let it = try await Case()
        let bindings = it.operators.bindings
        _ = try await bindings.bind(Case.ann, to: "ann@example.com", named: "ann", from: it.client)
        let (ann, ben) = (try await it.enrolled(), try await it.enrolled(Case.ben))
        let (annOpened, benOpened) = (try await it.signIn(ann), try await it.signIn(ben))
        #expect(try await bindings.unbind(email: "ann@example.com", subject: "ann@example.com", by: "console unbind"))
        await expectRefusal("noSuchPasskey") { try await it.used(ann) }
        #expect(try await !it.isOpen(annOpened))
        #expect(try await it.isOpen(benOpened))
        // One whom the file knows by the subject was never bound.
        #expect(try await bindings.unbind(email: nil, subject: Case.ben.subject, by: "console unbind"))
        await expectRefusal("noSuchPasskey") { try await it.used(ben) }
        #expect(try await !it.isOpen(benOpened))
        #expect(try await !bindings.unbind(email: nil, subject: Case.ben.subject, by: "console unbind"))
        #expect(try await it.recorded().suffix(3) == ["operator.passkeyRemoved", "operator.unbound", "operator.passkeyRemoved"])
    }

    @Test func `SEC-45 a passkey of an operator that counts backwards is refused, and flagged once`() async throws {
        let it = try await Case()
        let authenticator = try await it.enrolled(flags: 0x45)
        let honest: (inout SoftAuthenticator) -> Void = { ($0.flags, $0.signCount) = (0x05, 5) }
        try await it.signIn(authenticator, honest)
        for _ in 0..<2 {
            await expectRefusal("passkeyRefused(WebAuthn.RefusedCheck.counter)") { try await it.used(authenticator, honest) }
        }
        #expect(try await it.operators.passkeys.list(of: Case.ann).first?.flaggedAt != nil)
        #expect(try await it.recorded().filter { $0 == "operator.passkeySuspected" }.count == 1)
        try await it.signIn(authenticator) { ($0.flags, $0.signCount) = (0x05, 6) }
    }

    @Test func `a passkey of another host name is not offered, and a restored database has none`() async throws {
        let it = try await Case()
        let authenticator = try await it.enrolled()
        let moved = OperatorPasskeys.Site(rpID: "console.example.net", origin: "https://console.example.net")
        #expect(try await !it.operators.passkeys.exist(at: moved))
        #expect(try await it.operators.passkeys.list(of: Case.ann).map(\.rpID) == [Case.site.rpID])
        try await RestoredDatabase(database: it.fixture.database, clock: it.fixture.time.clock).endOperatorSessions()
        await expectRefusal("noSuchPasskey") { try await it.used(authenticator) }
    }
}
