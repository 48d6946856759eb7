@testable import Accounts
import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing
import Text

@testable import Brokerage
@testable import Providers

@Suite struct ProviderAnswerTests {
    private static func flow(redirectURI: String = FakeIssuer.handler) -> SignInFlow {
        SignInFlow(
            projectID: "demo", id: Array(1...16), providerID: "oidc.test", kind: .web, redirectURI: redirectURI, returnURL: nil,
            appState: nil, sdkRequest: nil, secrets: .random(customParameters: [:]))
    }

    private func name(_ work: () throws(BrokerageError) -> Void) -> String? {
        do throws(BrokerageError) {
            try work()
            return nil
        } catch { return error.name }
    }

    @Test(arguments: ["state", "code", "iss", "error", "id_token", "oauth_token", "oauth_verifier", "denied"])
    func `refuses an answer that gives a deciding field twice`(field: String) {
        let form = Form([(name: field, value: "a"), (name: field, value: "a"), (name: "state", value: "s")])
        #expect(name { () throws(BrokerageError) in _ = try ProviderAnswer(form) } == "badParameter")
    }

    @Test func `takes other fields twice, but not from an error that names no flow`() throws {
        let twice: [(name: String, value: String)] = [(name: "error_uri", value: "a"), (name: "error_uri", value: "b")]
        _ = try ProviderAnswer(Form(twice + [(name: "error", value: "x"), (name: "state", value: "s")]))
        #expect(name { () throws(BrokerageError) in _ = try ProviderAnswer(Form(twice + [(name: "error", value: "x")])) } == "badParameter")
    }

    @Test(arguments: [("iss", "The parameter iss is given more than once."), ("<b>555", "A parameter is given more than once.")])
    func `quotes no name of a field that it does not know`(field: String, text: String) {
        let form = Form([(name: field, value: "a"), (name: field, value: "b"), (name: "error", value: "x")])
        var told: String?
        do throws(BrokerageError) { _ = try ProviderAnswer(form) } catch { if case .badParameter(let text) = error { told = text } }
        #expect(told == text)
    }

    @Test(arguments: [[:], ["state": ""], ["state": "made-up"], ["state": "demo.AAAA"]] as [Form])
    func `names no flow by a state that is missing or made up`(form: Form) throws {
        let answer = try ProviderAnswer(form)
        #expect(name { () throws(BrokerageError) in _ = try answer.state } == "unknownFlow")
    }

    @Test(
        arguments: [
            (["error": "access_denied"], true), (["error": "access_denied", "state": ""], true), (["error": "x", "state": "s"], false),
            (["error": "", "code": "c"], false), (["code": "c"], false),
        ] as [(Form, Bool)])
    func `knows an error that names no flow`(form: Form, isUnnamed: Bool) throws {
        #expect(try ProviderAnswer(form).isUnnamedRefusal == isUnnamed)
    }

    @Test func `tells the person's refusal, an outage and a fault of the provider apart`() throws {
        let told = try ["access_denied", "temporarily_unavailable", "server_error"].map {
            try ProviderAnswer(Form([(name: "error", value: $0), (name: "state", value: "s")])).refusal?.name
        }
        #expect(told == ["declined", "outage", "providerFault"])
        #expect(try ProviderAnswer(["code": "c", "state": "s"]).refusal == nil)
        #expect(try ProviderAnswer(["oauth_token": "t", "oauth_verifier": "v", "state": "s"]).refusal == nil)
        #expect(try ProviderAnswer(["denied": "t", "oauth_verifier": "v", "state": "s"]).refusal?.name == "declined")
    }

    @Test func `believes no description of an error that names no flow`() throws {
        let answer = try ProviderAnswer(["error": "server_error", "error_description": "AADB2C90118: call 555"])
        #expect(answer.refusal?.name == "declined")
        #expect(answer.refusalWithoutFlow.name == "providerFault")
    }

    @Test(
        arguments: [
            (nil, FakeIssuer.handler, true), ("oidc.test", FakeIssuer.handler, true), ("oidc.other", FakeIssuer.handler, false),
            ("oidc.test", FakeIssuer.handler + "/oidc.test", true), (nil, FakeIssuer.handler + "/oidc.test", false),
            ("oidc.other", FakeIssuer.handler + "/oidc.test", false),
        ] as [(UTF8Text?, String, Bool)])
    func `comes by the address that the provider was told`(address: UTF8Text?, redirectURI: String, isRight: Bool) throws {
        let answer = try ProviderAnswer(["code": "c", "state": "s"])
        let flow = Self.flow(redirectURI: redirectURI)
        let refusal = name { () throws(BrokerageError) in try answer.checkAddress(address, of: flow) }
        #expect(refusal == (isRight ? nil : "foreignAnswer"))
    }
}

/// The one check of `iss`, `error` and `code`.
@Suite struct AnswerCheckTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    private func refusal(_ form: Form) async throws -> BrokerageError? {
        let answer = try ProviderAnswer(form)
        return await BrokerageTests.refusal { try await answer.check(of: issuer.provider()) }
    }

    @Test(arguments: ["https://evil.example", "https://issuer.example/", "https://ISSUER.example", ""])
    func `an answer of another provider is refused before its code is used`(name: UTF8Text) async throws {
        let refusal = try #require(try await refusal(["code": "code-1", "state": "s", "iss": name]))
        guard case .foreignAnswer("The answer is from another provider.", _) = refusal else { return #expect(Bool(false), "\(refusal)") }
        #expect(issuer.upstream.count(issuer.tokenURL) == 0)
    }

    @Test func `an iss is compared where it is there, and required where it is promised`() async throws {
        #expect(try await refusal(["code": "code-1", "state": "s"]) == nil)
        #expect(try await refusal(["code": "code-1", "state": "s", "iss": "https://issuer.example"]) == nil)
        issuer.publish(["authorization_response_iss_parameter_supported": true])
        #expect(try await refusal(["code": "code-1", "state": "s", "iss": "https://issuer.example"]) == nil)
        #expect(try await refusal(["code": "code-1", "state": "s"])?.name == "foreignAnswer")
    }

    @Test func `an error that names no flow needs no iss, and no wrong one`() async throws {
        issuer.publish(["authorization_response_iss_parameter_supported": true])
        #expect(try await refusal(["error": "access_denied"]) == nil)
        #expect(try await refusal(["error": "access_denied", "iss": "https://evil.example"])?.name == "foreignAnswer")
    }

    @Test func `an answer that says nothing is the provider's fault`() async throws {
        #expect(try await refusal(["state": "s"])?.name == "providerFault")
        #expect(try await refusal(["state": "s", "user": "{}"])?.name == "providerFault")
        #expect(try await refusal(["state": "s", "oauth_token": "t"])?.name == "providerFault")
    }

    @Test func `a provider that does not answer is an outage, and one that is another is the operator's fault`() async throws {
        issuer.upstream.fail(issuer.documentURL, .timedOut)
        #expect(try await refusal(["code": "code-1", "state": "s"])?.name == "outage")
        issuer.publish(["issuer": "https://evil.example"])
        #expect(try await refusal(["code": "code-1", "state": "s"])?.name == "misconfigured")
    }
}
