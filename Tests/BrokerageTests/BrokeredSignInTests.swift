import Accounts
import Curl
import HTTP
import Identity
import JSON
import Postgres
import TestKit
import Testing
import Text

@testable import Brokerage
@testable import Providers

@Suite struct BrokeredSignInTests {
    @Test func `begins, returns, redeems and signs in, in six round trips`() async throws {
        let fixture = try await Fixture()
        let start = fixture.database.roundTrips
        let begun = try await fixture.begin()
        #expect(begun.url.hasPrefix("https://issuer.example/authorize?"))
        #expect(fixture.database.roundTrips == start + 1, "begin stores the flow")
        let code = try #require(try await fixture.take(try fixture.answer(to: begun), begun))
        #expect(fixture.database.roundTrips == start + 3, "return finds the flow and records the answer")
        let proven = try await fixture.redeem(code, begun)
        #expect(fixture.database.roundTrips == start + 4, "redemption takes the flow")
        #expect(proven.result.identity.subject == "subject-1")
        #expect(proven.result.accessToken == "access-1")
        guard case .signedIn(let account, _, true, _) = try await fixture.signIn(proven) else { return #expect(Bool(false)) }
        #expect(fixture.database.roundTrips == start + 6, "the sign-in reads and writes")
        #expect(account.email == "ada@example.com")
        #expect(try await fixture.status(of: begun) == "redeemed")
        #expect(fixture.counted == [#"gatehouse_sign_ins_total{project="demo",provider="oidc.test",outcome="created"} 1"#])
    }

    @Test func `a refusal at the provider ends the flow, and is counted as what it is`() async throws {
        let fixture = try await Fixture()
        for error in ["access_denied", "temporarily_unavailable"] {
            let begun = try await fixture.begin()
            let answer = try ProviderAnswer(
                Form([(name: "error", value: error), (name: "state", value: begun.started.state.text), (name: "code", value: "code-1")]))
            #expect(try await fixture.take(answer, begun) == nil)
            #expect(try await fixture.status(of: begun) == "failed")
        }
        #expect(fixture.issuer.upstream.count(fixture.issuer.tokenURL) == 0)
        #expect(
            fixture.counted == [
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.test",outcome="provider_unavailable"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.test",outcome="refused"} 1"#,
            ])
    }

    @Test func `an answer of another provider, and another browser, leave the flow as it is`() async throws {
        let fixture = try await Fixture()
        let begun = try await fixture.begin()
        let foreign = try fixture.answer(to: begun, adding: [(name: "iss", value: "https://evil.example")])
        #expect(await refusal { try await fixture.take(foreign, begun) }?.name == "foreignAnswer")
        let answer = try fixture.answer(to: begun)
        let flow = try #require(try await fixture.brokerage.flow(waitingFor: answer))
        let stranger = try await fixture.broker.receive(answer, for: flow, cookie: "another")
        #expect(await refusal { try await fixture.broker.record(stranger) }?.name == "unknownFlow")
        #expect(try await fixture.status(of: begun) == "started")
        #expect(fixture.counted.isEmpty)
        #expect(try await fixture.take(answer, begun) != nil)
    }

    @Test func `a code that the provider refuses ends the flow for good`() async throws {
        let fixture = try await Fixture()
        let begun = try await fixture.begin()
        let code = try #require(try await fixture.take(try fixture.answer(to: begun), begun))
        fixture.issuer.upstream.answer(fixture.issuer.tokenURL, ["error": "invalid_grant"], status: 400)
        #expect(await refusal { try await fixture.redeem(code, begun) }?.name == "providerFault")
        #expect(try await fixture.status(of: begun) == "failed")
        #expect(await refusal { try await fixture.redeem(code, begun) }?.name == "unknownFlow")
    }

    @Test func `a client's own answer is checked when it is redeemed, and a wrong one ends the flow`() async throws {
        let fixture = try await Fixture()
        for (field, value, name) in [
            ("iss", "https://evil.example", "foreignAnswer"), ("error", "access_denied", "declined"),
        ] as [(UTF8Text, UTF8Text, String)] {
            let begun = try await fixture.begin(.client)
            let answer = try fixture.answer(to: begun, adding: [(name: field, value: value)])
            let refused = await refusal {
                try await fixture.broker.redeem(answer, sessionID: Fixture.verifier, page: UTF8Text(FakeIssuer.handler))
            }
            #expect(refused?.name == name)
            #expect(try await fixture.status(of: begun) == "failed")
        }
        #expect(fixture.issuer.upstream.count(fixture.issuer.tokenURL) == 0)
        let begun = try await fixture.begin(.client)
        let answer = try fixture.answer(to: begun)
        let elsewhere = await refusal { try await fixture.broker.redeem(answer, sessionID: Fixture.verifier, page: "https://evil.example") }
        #expect(elsewhere?.name == "unknownFlow")
        #expect(try await fixture.status(of: begun) == "started")
        let before = fixture.database.roundTrips
        let proven = try await fixture.broker.redeem(answer, sessionID: Fixture.verifier, page: UTF8Text(FakeIssuer.handler))
        #expect(fixture.database.roundTrips == before + 1, "redemption takes the flow")
        guard case .signedIn = try await fixture.signIn(proven) else { return #expect(Bool(false)) }
        #expect(try await fixture.status(of: begun) == "redeemed")
    }

    @Test func `an outage at the start is counted, and nothing is stored`() async throws {
        let fixture = try await Fixture()
        fixture.issuer.upstream.fail(fixture.issuer.documentURL, .timedOut)
        #expect(await refusal { try await fixture.begin() }?.name == "outage")
        #expect(fixture.counted == [#"gatehouse_sign_ins_total{project="demo",provider="oidc.test",outcome="provider_unavailable"} 1"#])
        let rows = try await fixture.database.query("SELECT 1 FROM sign_in_flows")
        #expect(rows.isEmpty)
    }

    @Test func `a start that failed is stored as ended, in one round trip, where the app's frame fetches its event`() async throws {
        let fixture = try await Fixture()
        let sdkRequest = SDKRequest(apiKey: "key", appName: "[DEFAULT]", authType: .signInViaPopup, eventID: "1")
        let start = Fixture.start(.popup, sdkRequest: sdkRequest)
        let failed = fixture.broker.failed(start)
        let before = fixture.database.roundTrips
        try await fixture.broker.record(failed, of: start, event: [1, 2])
        #expect(fixture.database.roundTrips == before + 1)
        let rows = try await fixture.database.query("SELECT status FROM sign_in_flows")
        #expect(try rows.map { try $0.value(as: String.self) } == ["failed"])
        let ticket = try #require(failed.ticket)
        #expect(try await fixture.brokerage.takeEvent(ticket) == .event([1, 2]))
        #expect(try await fixture.brokerage.takeEvent(ticket) == .unknown)
    }

    @Test func `a start of a native app that failed is not stored, since nothing of it could be read`() async throws {
        let fixture = try await Fixture()
        let sdkRequest = SDKRequest(apiKey: "key", authType: .signInWithRedirect, eventID: "1", app: "com.example")
        let start = Fixture.start(.android, sdkRequest: sdkRequest)
        try await fixture.broker.record(fixture.broker.failed(start), of: start, event: nil)
        let rows = try await fixture.database.query("SELECT 1 FROM sign_in_flows")
        #expect(rows.isEmpty)
    }

    @Test func `a provider that the project does not have begins, verifies and redeems nothing`() async throws {
        let fixture = try await Fixture()
        let none = fixture.broker(nil)
        #expect(throws: BrokerageError.self) { try none.provider("oidc.test") }
        #expect(await refusal { try await none.verify(Credential(idToken: "a.b.c"), of: "oidc.test") }?.name == "notEnabled")
        let begun = try await fixture.begin()
        let code = try #require(try await fixture.take(try fixture.answer(to: begun), begun))
        let refused = await refusal {
            try await none.redeem(
                UTF8Text(code.text), of: FlowID(bytes: begun.started.flow.id), sessionID: Fixture.verifier, page: UTF8Text(Fixture.page),
                isHandler: false)
        }
        #expect(refused?.name == "notEnabled")
        #expect(try await fixture.status(of: begun) == "failed")
    }

    @Test func `a pending token is accepted only for the issuer that proved it`() async throws {
        let fixture = try await Fixture()
        let credential = Credential(idToken: UTF8Text(try fixture.issuer.token()))
        let proven = try await fixture.broker.verify(credential, of: "oidc.test")
        let token = UTF8Text(try #require(try fixture.broker.pendingToken(for: proven, after: nil)))
        let other = fixture.issuer.settings { $0.protocol = .openIDConnect(OpenIDConnect(issuer: "https://other.example")) }
        let refused = await refusal { try await fixture.broker(other).redeem(pendingToken: token) }
        guard case .account(.invalidPendingToken)? = refused else { return #expect(Bool(false), "\(String(describing: refused))") }
        let again = UTF8Text(try #require(try fixture.broker.pendingToken(for: proven, after: nil)))
        #expect(try await fixture.broker.redeem(pendingToken: again).result == proven.result)
    }

    @Test func `a flow that was started to reauthenticate makes no account, whatever is said later`() async throws {
        let fixture = try await Fixture()
        let sdkRequest = SDKRequest(apiKey: "key", appName: "[DEFAULT]", authType: .reauthViaPopup, eventID: "1")
        let begun = try await fixture.begin(.popup, sdkRequest: sdkRequest)
        let code = try #require(try await fixture.take(try fixture.answer(to: begun), begun))
        let proven = try await fixture.broker.redeem(
            UTF8Text(code.text), of: FlowID(bytes: begun.started.flow.id), sessionID: Fixture.verifier, page: "", isHandler: true)
        guard case .account(.noSuchIdentity)? = await refusal({ try await fixture.signIn(proven) }) else { return #expect(Bool(false)) }
        #expect(try await fixture.status(of: begun) == "failed")
    }
}
