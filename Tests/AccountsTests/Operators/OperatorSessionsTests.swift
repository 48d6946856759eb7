import Crypto
import Identity
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

/// The sessions of operators: how long they last, and the flow that begins one.
@Suite(.takesTurns) struct OperatorSessionsTests {
    private let client = Session.ClientInfo(userAgent: nil, address: "203.0.113.9")
    private let person = OperatorPerson(issuer: "https://id.example.com", subject: "7")

    @Test func `a session ends eight hours after the sign-in, and after half an hour without a request`() async throws {
        let fixture = try await Fixture()
        let sessions = fixture.accounts.operators.sessions
        let session = try await sessions.begin("ann", person, replacing: [], from: client)
        let cookie = UTF8Text(session.cookie)
        for _ in 0..<15 {
            fixture.time.advance(.seconds(29 * 60))
            #expect(try await sessions.find(cookie, from: client)?.operatorName == "ann")
        }
        // 7 hours and 15 minutes have gone by; a use every 29 minutes kept the session.
        fixture.time.advance(.seconds(29 * 60))
        #expect(try await sessions.find(cookie, from: client) != nil)
        fixture.time.advance(.seconds(17 * 60))
        #expect(try await sessions.find(cookie, from: client) == nil)

        let idle = try await sessions.begin("ann", person, replacing: [], from: client)
        fixture.time.advance(.seconds(31 * 60))
        #expect(try await sessions.find(UTF8Text(idle.cookie), from: client) == nil)
    }

    @Test func `a sign-in is fresh for five minutes`() async throws {
        let fixture = try await Fixture()
        let session = try await fixture.accounts.operators.sessions.begin("ann", person, replacing: [], from: client)
        let now = fixture.time.clock.now()
        #expect(session.isFresh(at: now + .seconds(299)) && !session.isFresh(at: now + .seconds(301)))
    }

    @Test func `SEC-66 an opening is late after five minutes, and its session after half an hour`() async throws {
        let fixture = try await Fixture()
        let operators = fixture.accounts.operators
        let code = try await operators.openings.make(reason: "a test", from: client.address, by: "console open")
        fixture.time.advance(.seconds(299))
        let session = try #require(try await operators.openings.use(UTF8Text(code), replacing: [], from: client, isOfThisMachine: false))
        fixture.time.advance(.seconds(29 * 60))
        #expect(try await operators.sessions.find(UTF8Text(session.cookie), from: client)?.isBreakGlass == true)
        fixture.time.advance(.seconds(61))
        #expect(try await operators.sessions.find(UTF8Text(session.cookie), from: client) == nil)

        let late = try await operators.openings.make(reason: "a test", from: client.address, by: "console open")
        fixture.time.advance(.seconds(301))
        #expect(try await operators.openings.use(UTF8Text(late), replacing: [], from: client, isOfThisMachine: false) == nil)
    }

    @Test func `a flow is for its own state, and for ten minutes`() async throws {
        let fixture = try await Fixture()
        let flows = fixture.accounts.operators.flows
        let flow = flows.begin(next: "/keys", replacing: nil, asking: ["prompt": "login"])
        let cookie = UTF8Text(try flows.seal(flow))
        #expect(flows.open(cookie) == flow && flow.secrets.customParameters == ["prompt": "login"])
        #expect(flow.answers(UTF8Text(flow.state)) && !flow.answers("another") && !flow.answers(""))
        #expect(flows.open("made up") == nil)
        fixture.time.advance(.seconds(601))
        #expect(flows.open(cookie) == nil)
    }

    @Test func `a sign-in ends the sessions that its browser had, and no other one`() async throws {
        let fixture = try await Fixture()
        let (sessions, flows) = (fixture.accounts.operators.sessions, fixture.accounts.operators.flows)
        var three: [OperatorSession] = []
        for _ in 0..<3 { three.append(try await sessions.begin("ann", person, replacing: [], from: client)) }
        let flow = flows.begin(next: "/", replacing: UTF8Text(three[0].cookie), asking: [:])
        let other = flows.begin(next: "/", replacing: nil, asking: [:]).replacing(three[1])
        #expect(flow.formerSession == three[0].id && other.formerSession == three[1].id)
        #expect(try !flows.seal(flow).contains(three[0].cookie))
        #expect(flows.begin(next: "/", replacing: "no cookie of ours!", asking: [:]).formerSession == nil)
        let former = Set([flow, other].compactMap(\.formerSession)).union(["made up"])
        let new = try await sessions.begin("ann", person, replacing: former, from: client)
        var left: [Bool] = []
        for session in three + [new] { left.append(try await sessions.find(UTF8Text(session.cookie), from: client) != nil) }
        #expect(left == [false, false, true, true])
    }

    @Test func `a sign-in is as fresh as the provider says, and the session as long as any`() async throws {
        let fixture = try await Fixture()
        let sessions = fixture.accounts.operators.sessions
        let now = fixture.time.clock.now()
        let old = try await sessions.begin("ann", person, at: now - .seconds(3600), replacing: [], from: client)
        #expect(!old.isFresh(at: now) && !old.isFreshAtProvider(at: now))
        let found = try #require(try await sessions.find(UTF8Text(old.cookie), from: client))
        #expect(!found.isFresh(at: now) && found.signedInAt == now - .seconds(3600))
        fixture.time.advance(.seconds(29 * 60))
        #expect(try await sessions.find(UTF8Text(old.cookie), from: client) != nil)
    }

    @Test func `SEC-64 a token is for one session and one target`() {
        let one = OperatorSession(secret: Random.bytes(32), operatorName: "a", person: nil, reason: nil, signedInAt: Instant(seconds: 0))
        let other = OperatorSession(secret: Random.bytes(32), operatorName: "a", person: nil, reason: nil, signedInAt: Instant(seconds: 0))
        let token = UTF8Text(one.formToken(for: "/a"))
        #expect(one.isGenuine(token, for: "/a"))
        #expect(!one.isGenuine(token, for: "/b") && !other.isGenuine(token, for: "/a") && !one.isGenuine("", for: "/a"))
    }
}
