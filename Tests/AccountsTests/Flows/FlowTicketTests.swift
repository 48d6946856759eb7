@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct FlowTicketTests {
    private func started(
        _ fixture: Fixture, _ kind: SignInFlow.Kind = .redirect, app: String? = nil, sessionID: String? = nil
    ) async throws -> StartedFlow {
        let start = SignInStart(
            providerID: "oidc.acme", kind: kind, sessionHash: sessionID.map(SessionBinding.hash(atStart:)),
            redirectURI: "https://auth.example.com/__/auth/handler",
            returnURL: app == nil ? "https://app.example.com/home#x" : nil,
            sdkRequest: SDKRequest(
                apiKey: "key", appName: app == nil ? "[DEFAULT]" : nil, authType: app == nil ? .reauthViaRedirect : .signInWithRedirect,
                eventID: "u:::1", app: app, language: "de"))
        let started = fixture.flows.prepare(start, in: fixture.project)
        try await fixture.flows.store(started, start)
        return started
    }

    private func isRefused(_ error: any Error) -> Bool { if case AccountError.flowRefused = error { true } else { false } }

    @Test func `remembers what an SDK said, and tells it again`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let flow = try #require(try await fixture.flows.waiting(started.state))
        #expect(flow.sdkRequest == started.flow.sdkRequest)
        #expect(flow.sdkRequest?.authType.isReauthentication == true)
        #expect(flow.returnURL == "https://app.example.com/home#x")
        let native = try await self.started(fixture, .ios, app: "app-1", sessionID: "s")
        let again = try #require(try await fixture.flows.waiting(native.state))
        #expect(again.sdkRequest?.app == "app-1" && again.sdkRequest?.appName == nil)
    }

    @Test func `SEC-05 gives an event out once, after the callback, by the ticket of its flow`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let ticket = try #require(started.ticket)
        #expect(try #require(FlowTicket(UTF8Text(ticket.text))) == ticket)
        #expect(try await fixture.flows.takeEvent(ticket) == .waiting)
        let cookie = try #require(started.cookie)
        _ = try await fixture.recordReturn(of: started.flow, cookie: cookie, answer: [1], event: Array("event 1".utf8))
        #expect(try await fixture.flows.takeEvent(ticket) == .event(Array("event 1".utf8)))
        #expect(try await fixture.flows.takeEvent(ticket) == .unknown)
    }

    @Test func `SEC-05 gives an event to one of fifty`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture, .popup)
        _ = try await fixture.recordReturn(of: started.flow, cookie: try #require(started.cookie), answer: [1], event: [2])
        let ticket = try #require(started.ticket)
        let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.flows.takeEvent(ticket) == .event([2]) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
    }

    @Test func `keeps an event for the app and the origin that it is for, and leaves it for them`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let ticket = try #require(started.ticket)
        _ = try await fixture.recordReturn(of: started.flow, cookie: try #require(started.cookie), answer: [1], event: [2])
        let right = (key: "key", app: "[DEFAULT]", origin: "https://app.example.com")
        for (key, app, origin) in [
            ("other", right.app, right.origin), (right.key, "other", right.origin), (right.key, right.app, "https://evil.example"),
            (right.key, right.app, "https://app.example.com:8443"), (right.key, right.app, "https://app.example"),
            (right.key, right.app, ""),
        ] {
            #expect(try await fixture.flows.takeEvent(ticket, apiKey: key, appName: app, origin: origin) == .unknown)
        }
        #expect(try await fixture.flows.takeEvent(ticket, apiKey: right.key, appName: right.app, origin: right.origin) == .event([2]))
    }

    @Test func `gives a failure out as well, and nothing after two minutes`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        try await fixture.flows.recordRefusal(of: started.flow, cookie: try #require(started.cookie), event: [3])
        #expect(try await fixture.flows.takeEvent(try #require(started.ticket)) == .event([3]))
        let late = try await self.started(fixture)
        try await fixture.flows.recordRefusal(of: late.flow, cookie: try #require(late.cookie), event: [3])
        fixture.time.advance(.seconds(121))
        #expect(try await fixture.flows.takeEvent(try #require(late.ticket)) == .unknown)
    }

    @Test func `keeps neither ticket nor event readable in the table`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let ticket = try #require(started.ticket)
        _ = try await fixture.recordReturn(
            of: started.flow, cookie: try #require(started.cookie), answer: [1], event: Array("event 1".utf8))
        let rows = try await fixture.flows.storage.read("SELECT event, ticket_hash FROM sign_in_flows")
        var row = try #require(rows.first).reader()
        let (event, hash): ([UInt8], [UInt8]) = (try row.next(), try row.next())
        #expect(!String(decoding: event, as: UTF8.self).contains("event "))
        #expect(hash == Digest.sha256(ticket.secret))
        // Neither the master key alone nor another ticket opens it.
        let other = FlowTicket(of: started.flow, cookie: "another")
        #expect(throws: CryptoError.self) { try fixture.flows.eventKey(other).open(event, context: SignInFlows.context(ticket.flowID)) }
    }

    @Test func `has no ticket for a result that is not fetched`() async throws {
        let fixture = try await Fixture()
        for kind in [SignInFlow.Kind.ios, .android] {
            #expect(try await started(fixture, kind, app: "a", sessionID: "s").ticket == nil)
        }
    }

    @Test func `SEC-10 redeems at our handler alone, and with the cookie's secret where no other was given`() async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture)
        let cookie = try #require(started.cookie)
        let code = try await fixture.recordReturn(of: started.flow, cookie: cookie, answer: [1])
        func claim(_ session: String, isHandler: Bool) async throws {
            _ = try await fixture.flows.redeem(
                flowID: started.flow.id, code, sessionID: session, page: "https://app.example.com/home#x", isHandler: isHandler,
                in: fixture.project)
        }
        await #expect(performing: { try await claim(cookie, isHandler: false) }, throws: isRefused)
        await #expect(performing: { try await claim("other", isHandler: true) }, throws: isRefused)
        try await claim(cookie, isHandler: true)
        await #expect(performing: { try await claim(cookie, isHandler: true) }, throws: isRefused)
    }

    @Test(arguments: ["\u{FFFD}\u{0}\u{1}", "plain", String(repeating: "a", count: 63), String(repeating: "A", count: 64)])
    func `SEC-05 redeems a native flow with the secret that stood at its start, whatever it is made of`(secret: String) async throws {
        let fixture = try await Fixture()
        let started = try await started(fixture, .android, app: "com.example", sessionID: secret)
        let code = try await fixture.recordReturn(of: started.flow, cookie: try #require(started.cookie), answer: [1])
        _ = try await fixture.flows.redeem(
            flowID: started.flow.id, code, sessionID: secret, page: "", isHandler: true, in: fixture.project)
    }

    @Test func `SEC-05 never redeems a native flow with the hash that stood at its start`() async throws {
        let fixture = try await Fixture()
        let hash = Hex.encode(Digest.sha256(Array("secret".utf8)))
        let started = try await started(fixture, .ios, app: "app-1", sessionID: hash)
        let code = try await fixture.recordReturn(of: started.flow, cookie: try #require(started.cookie), answer: [1])
        func claim(_ session: String) async throws {
            _ = try await fixture.flows.redeem(
                flowID: started.flow.id, code, sessionID: session, page: "", isHandler: true, in: fixture.project)
        }
        await #expect(performing: { try await claim(hash) }, throws: isRefused)
        try await claim("secret")
    }
}
