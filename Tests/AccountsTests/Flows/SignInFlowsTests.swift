@testable import Accounts
import Crypto
import Identity
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct SignInFlowsTests {
    private let page = "https://app.example.com/cb"
    private let verifier = "verifier-verifier-verifier-verifier-verifier"

    private func started(_ fixture: Fixture, kind: SignInFlow.Kind = .web) async throws -> StartedFlow {
        let start = SignInStart(
            providerID: "oidc.acme", kind: kind, sessionHash: SessionBinding.hash(atRedemption: verifier),
            redirectURI: "https://auth.example.com/__/auth/handler", returnURL: kind == .web ? page : nil, appState: "app",
            customParameters: ["tenant": "t"])
        let started = fixture.flows.prepare(start, in: fixture.project)
        try await fixture.flows.store(started, start)
        return started
    }

    private func returned(_ fixture: Fixture) async throws -> (StartedFlow, code: OneTimeCode) {
        let started = try await started(fixture)
        let code = try await fixture.recordReturn(of: started.flow, cookie: try #require(started.cookie), answer: Array("code=x".utf8))
        return (started, code)
    }

    private func claim(_ fixture: Fixture, _ flow: SignInFlow, _ code: OneTimeCode, session: String? = nil, page: String? = nil)
        async throws
        -> [UInt8]
    {
        try await fixture.flows.redeem(
            flowID: flow.id, code, sessionID: session ?? verifier, page: page ?? self.page, isHandler: false, in: fixture.project
        ).answer
    }

    private func isRefused(_ error: any Error) -> Bool { if case AccountError.flowRefused = error { true } else { false } }

    @Test func `goes from start to redemption and keeps its secrets on the way`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let waiting = try #require(try await fixture.flows.waiting(started.state))
        #expect(waiting.secrets.codeVerifier == started.flow.secrets.codeVerifier)
        #expect(waiting.secrets.customParameters == ["tenant": "t"])
        #expect(waiting.appState == "app")
        let code = try await fixture.recordReturn(of: waiting, cookie: try #require(started.cookie), answer: Array("code=x".utf8))
        #expect(try await claim(fixture, waiting, code) == Array("code=x".utf8))
    }

    @Test func `keeps a request token and its secret with the others, sealed, until the redemption`() async throws {
        let fixture = try await Fixture()
        let start = SignInStart(
            providerID: "oidc.acme", kind: .web, sessionHash: nil, redirectURI: "https://auth.example.com/__/auth/handler", returnURL: page)
        let started = fixture.flows.prepare(start, in: fixture.project)
        let token = OAuth1Token(token: "request-token", secret: "request-secret")
        try await fixture.flows.store(started, start, requestToken: token)
        let waiting = try #require(try await fixture.flows.waiting(started.state))
        #expect(waiting.secrets.requestToken == token)
        #expect(waiting.secrets.codeVerifier == started.flow.secrets.codeVerifier)
        let rows = try await fixture.database.query("SELECT row_to_json(f)::text FROM sign_in_flows f")
        #expect(try !rows.contains { try $0.value(as: String.self).contains("request-") })
    }

    @Test func `SEC-05 lets one of fifty redemptions through`() async throws {
        let fixture = try await Fixture()
        let (started, code) = try await returned(fixture)
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { (try? await claim(fixture, started.flow, code)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
    }

    @Test func `SEC-05 takes a state once`() async throws {
        let fixture = try await Fixture()
        let (started, _) = try await returned(fixture)
        #expect(try await fixture.flows.waiting(started.state) == nil)
        await #expect(
            performing: { try await fixture.recordReturn(of: started.flow, cookie: started.cookie ?? "", answer: []) }, throws: isRefused)
    }

    @Test func `SEC-18 changes nothing for a browser without the cookie`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        await #expect(performing: { try await fixture.recordReturn(of: started.flow, cookie: "other", answer: []) }, throws: isRefused)
        await #expect(performing: { try await fixture.flows.recordRefusal(of: started.flow, cookie: "other") }, throws: isRefused)
        #expect(try await fixture.flows.waiting(started.state) != nil)
    }

    @Test func `refuses the wrong session secret, and burns the result at the fifth`() async throws {
        let fixture = try await Fixture()
        let (started, code) = try await returned(fixture)
        for _ in 0..<4 { await #expect(performing: { try await claim(fixture, started.flow, code, session: "wrong") }, throws: isRefused) }
        let (other, otherCode) = try await returned(fixture)
        _ = try await claim(fixture, other.flow, otherCode)
        await #expect(performing: { try await claim(fixture, started.flow, code, session: "wrong") }, throws: isRefused)
        await #expect(performing: { try await claim(fixture, started.flow, code) }, throws: isRefused)
    }

    @Test func `does not count tries without the code`() async throws {
        let fixture = try await Fixture()
        let (started, code) = try await returned(fixture)
        for _ in 0..<10 {
            await #expect(
                performing: {
                    try await claim(fixture, started.flow, OneTimeCode(bytes: Array(repeating: 0, count: 32)), session: "wrong")
                },
                throws: isRefused)
        }
        #expect(try await claim(fixture, started.flow, code) == Array("code=x".utf8))
    }

    @Test func `SEC-10 refuses another page than the one the browser was sent to`() async throws {
        let fixture = try await Fixture()
        let (started, code) = try await returned(fixture)
        await #expect(performing: { try await claim(fixture, started.flow, code, page: "https://evil.example.com/cb") }, throws: isRefused)
    }

    @Test func `expires ten minutes after the start, and two after the return`() async throws {
        let fixture = try await Fixture()
        let early = try await started(fixture)
        fixture.time.advance(.seconds(601))
        #expect(try await fixture.flows.waiting(early.state) == nil)
        let (late, code) = try await returned(fixture)
        fixture.time.advance(.seconds(121))
        await #expect(performing: { try await claim(fixture, late.flow, code) }, throws: isRefused)
    }

    @Test func `finds a waiting flow by its cookie alone, in the project that the cookie names`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let (id, cookie) = (started.flow.id, try #require(started.cookie))
        #expect(cookie.hasPrefix("demo."))
        #expect(try await fixture.flows.waiting(flowID: id, cookie: cookie)?.providerID == started.flow.providerID)
        let secret = cookie.dropFirst("demo.".count)
        for other in ["other.\(secret)", "demo.\(secret.dropLast())", String(secret), "", "\u{0}.\(secret)"] {
            #expect(try await fixture.flows.waiting(flowID: id, cookie: other) == nil, "\(other)")
        }
    }

    @Test func `SEC-18 gives a posted answer only to the browser that posted it and that started the flow`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let cookie = try #require(started.cookie)
        let ticket = try await fixture.flows.keepPosted(Array("code=posted".utf8), for: started.state)
        await #expect(performing: { try await fixture.flows.keepPosted([], for: started.state) }, throws: isRefused)
        // The browser of another person, to whom an attacker sent the provider's page, and then the attacker's.
        await #expect(performing: { try await fixture.flows.posted(ticket, cookie: "other") }, throws: isRefused)
        await #expect(performing: { try await fixture.flows.posted(ResumeTicket(for: started.state), cookie: cookie) }, throws: isRefused)
        let state = try #require(ResumeTicket(UTF8Text(started.state.text)))
        await #expect(performing: { try await fixture.flows.posted(state, cookie: cookie) }, throws: isRefused)
        let (_, form) = try await fixture.flows.posted(try #require(ResumeTicket(UTF8Text(ticket.text))), cookie: cookie)
        #expect(form == Array("code=posted".utf8))
    }

    @Test func `a flow's secrets and what was posted to it do not open in each other's column`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let ticket = try await fixture.flows.keepPosted(started.flow.secrets.bytes, for: started.state)
        _ = try await fixture.database.write("UPDATE sign_in_flows SET secrets = posted, posted = secrets")
        await #expect(
            performing: { try await fixture.flows.waiting(started.state) },
            throws: { if case AccountError.sealBroken = $0 { true } else { false } })
        _ = try await fixture.database.write("UPDATE sign_in_flows SET secrets = posted, posted = secrets")
        _ = try await fixture.database.write("UPDATE sign_in_flows SET posted = secrets")
        await #expect(performing: { try await fixture.flows.posted(ticket, cookie: try #require(started.cookie)) }, throws: isRefused)
    }

    @Test func `redeems a client flow by state, once, with the session secret, at its own redirect URI`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture, kind: .client)
        let state = started.state
        func redeem(_ sessionID: String, page: String) async throws -> SignInFlow {
            try await fixture.flows.redeem(state, sessionID: sessionID, page: page, in: fixture.project)
        }
        let page = started.flow.redirectURI
        await #expect(performing: { try await redeem("wrong", page: page) }, throws: isRefused)
        await #expect(performing: { try await redeem(verifier, page: page + "/") }, throws: isRefused)
        #expect(try await redeem(verifier, page: page).id == started.flow.id)
        await #expect(performing: { try await redeem(verifier, page: page) }, throws: isRefused)
    }

    @Test func `spends a pending token once, within ten minutes, in its own project`() async throws {
        let fixture = try await Fixture()
        let token = fixture.pendingTokens.issue([1, 2, 3], about: nil, proof: nil, in: fixture.project)
        var other = fixture.project
        other.id = "other"
        other.storageID = "other"
        func isInvalid(_ error: any Error) -> Bool { if case AccountError.invalidPendingToken = error { true } else { false } }
        await #expect(performing: { try await fixture.pendingTokens.redeem(token, in: other) }, throws: isInvalid)
        #expect(try await fixture.pendingTokens.redeem(token, in: fixture.project).answer == [1, 2, 3])
        await #expect(performing: { try await fixture.pendingTokens.redeem(token, in: fixture.project) }, throws: isInvalid)
        let late = fixture.pendingTokens.issue([1], about: nil, proof: nil, in: fixture.project)
        fixture.time.advance(.seconds(601))
        await #expect(performing: { try await fixture.pendingTokens.redeem(late, in: fixture.project) }, throws: isInvalid)
    }

    @Test func `a pending token that is about an account ends with it`() async throws {
        let fixture = try await Fixture()
        let (account, _, _) = try await fixture.signIn(Fixture.ada())
        let tokens = (0..<2).map { fixture.pendingTokens.issue([$0], about: account.id, proof: nil, in: fixture.project) }
        #expect(try await fixture.pendingTokens.redeem(tokens[0], in: fixture.project).answer == [0])
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        await expectRefusal("invalidPendingToken") { try await fixture.pendingTokens.redeem(tokens[1], in: fixture.project) }
        let aboutNone = fixture.pendingTokens.issue([2], about: nil, proof: nil, in: fixture.project)
        #expect(try await fixture.pendingTokens.redeem(aboutNone, in: fixture.project).answer == [2])
    }

    @Test func `SEC-05 lives no longer for being made from a pending token`() async throws {
        let fixture = try await Fixture()
        let first = fixture.pendingTokens.issue([1], about: nil, proof: nil, in: fixture.project)
        fixture.time.advance(.seconds(400))
        let proof = try await fixture.pendingTokens.redeem(first, in: fixture.project).proof
        let second = fixture.pendingTokens.issue([1], about: nil, proof: proof, in: fixture.project)
        fixture.time.advance(.seconds(201))
        await #expect {
            try await fixture.pendingTokens.redeem(second, in: fixture.project)
        } throws: {
            if case AccountError.invalidPendingToken = $0 { true } else { false }
        }
    }

    @Test func `keeps neither code nor secret readable in the table`() async throws {
        let fixture = try await Fixture()
        let (started, code) = try await returned(fixture)
        let rows = try await fixture.database.query("SELECT row_to_json(f)::text FROM sign_in_flows f")
        let row = try #require(rows.first)
        let text: String = try row.value()
        for secret in [
            started.flow.secrets.codeVerifier, started.flow.secrets.nonce, code.text, started.cookie ?? "", started.state.text, "code=x",
        ] {
            #expect(!text.contains(secret))
            #expect(!text.contains(Hex.encode(Array(secret.utf8))))
        }
    }
}
