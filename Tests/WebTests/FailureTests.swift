import Accounts
import Brokerage
import HTTP
import JSON
import Logging
import Testing
import Text
@testable import Web

@Suite struct FailureTests {
    private func body(_ failure: Failure) throws -> JSON {
        try JSON.parse(FailureResponse.make(failure, in: .googleJSON, Request(method: .get, path: "/")).body)
    }

    @Test func `answers a business error without status, with the separator that SDKs split at`() throws {
        let failure = Failure.invalidIDPResponse("No.")
        #expect(
            try body(failure) == [
                "error": [
                    "code": 400, "message": "INVALID_IDP_RESPONSE : No.",
                    "errors": [["message": "INVALID_IDP_RESPONSE : No.", "domain": "global", "reason": "invalid"]],
                ]
            ])
    }

    @Test func `a request that met a conflict is no fault of the server in the log`() {
        #expect(LogDetail.level(of: AccountError.conflict) == .notice)
        #expect(LogDetail.level(of: AccountError.overloaded) == .error)
        #expect(LogDetail.level(of: Failure.internal) == .error)
    }

    @Test func `answers an invalid API key with the reason that SDKs look for`() throws {
        let error = try #require(try body(.invalidAPIKey)["error"])
        #expect(error["status"]?.string == "INVALID_ARGUMENT")
        #expect(error["details"]?[0]?["reason"]?.string == "API_KEY_INVALID")
    }

    @Test(arguments: [Failure.missingAPIKey, .invalidAPIKey, .unknownBearer, .notFound, .methodNotAllowed, .invalidJSON("x")])
    func `gives every value of an errors item as a string, since iOS casts them`(failure: Failure) throws {
        let items = try #require(try body(failure)["error"]?["errors"]?.array)
        for item in items { #expect(item.object?.allSatisfy { $0.value.string != nil } == true) }
    }

    @Test(arguments: [Failure.internal, .unavailable])
    func `answers what is our own fault without JSON, which would sign JS users out`(failure: Failure) {
        let response = FailureResponse.make(failure, in: .googleJSON, Request(method: .get, path: "/", id: RequestID(0xABC)))
        #expect(response.headers["content-type"]?.hasPrefix("text/plain") == true)
        #expect(response.headers["retry-after"] != nil)
        #expect(String(decoding: response.body, as: UTF8.self).contains("0000000000000abc"))
    }

    @Test func `tells the client of a sign-in that waits for a step which no call asks for`() {
        let failure = Failure.unanswerableSecondFactor
        #expect(failure.message == "OPERATION_NOT_ALLOWED : This account needs a second factor, which this server cannot ask for.")
        #expect(failure.kind == .business)
    }

    @Test func `keeps what has no line in the table inside`() {
        struct Secret: Error {}
        #expect(Failure(describing: Secret()) == .internal)
        #expect(Failure(describing: AccountError.sealBroken("x")) == .internal)
    }

    @Test(
        arguments: [
            (.declined("x"), "USER_CANCELLED : x"), (.providerFault("x", detail: "y"), "INVALID_IDP_RESPONSE : x"),
            (.misconfigured("x", detail: "y"), "INVALID_IDP_RESPONSE : x"), (.foreignAnswer("x", detail: "y"), "INVALID_IDP_RESPONSE : x"),
            (
                .notEnabled("oidc.x"),
                "OPERATION_NOT_ALLOWED : The provider oidc.x is not enabled for this project: it has no entry in the project's file."
            ),
            (
                .notEnabled("oidc.x", hasEntry: true),
                "OPERATION_NOT_ALLOWED : The provider oidc.x is not enabled for this project: its entry says enabled: false."
            ),
            (.notEnabled(""), "INVALID_PROVIDER_ID : providerId is missing."), (.badParameter("x"), "x"),
            (.invalidCredential("x"), "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: x"),
            (.nonce, "MISSING_OR_INVALID_NONCE"), (.at(provider: "p", project: "q", .nonce), "MISSING_OR_INVALID_NONCE"),
            (.account(.emailTaken), "EMAIL_EXISTS"),
            (.unknownFlow, "INVALID_IDP_RESPONSE : The sign-in is unknown, used up or expired, or was started elsewhere."),
            (
                .outage(detail: "y"),
                "NETWORK_REQUEST_FAILED : The sign-in provider does not answer at the moment. Please try again later."
            ),
        ] as [(BrokerageError, String)])
    func `tells the failures of a sign-in at a provider without their details`(error: BrokerageError, message: String) {
        #expect(Failure(describing: error).message == message)
    }

    @Test func `logs a provider's answer with its detail, and a fault inside as what it is`() {
        #expect(LogDetail.of(BrokerageError.providerFault("x.", detail: "y")) == "x. y")
        #expect(LogDetail.ofProvider(BrokerageError.providerFault("x.", detail: "y")) == "x. y")
        #expect(LogDetail.of(BrokerageError.account(.sealBroken("z"))) == LogDetail.of(AccountError.sealBroken("z")))
        let named = BrokerageError.at(provider: "oidc.x", project: "demo", .providerFault("x.", detail: "y"))
        #expect(LogDetail.of(named) == "x. y" && LogDetail.ofProvider(named) == "x. y")
        #expect(LogDetail.place(of: named).mapValues { "\($0)" } == ["provider": "oidc.x", "project": "demo"])
        #expect(LogDetail.place(of: BrokerageError.nonce).isEmpty)
        #expect(LogDetail.ofProvider(BrokerageError.unknownFlow) == nil)
        #expect(LogDetail.ofProvider(BrokerageError.badParameter("x")) == nil)
        #expect(LogDetail.of(BrokerageError.badParameter("x")) == "x")
    }

    @Test func `escapes what a page shows`() {
        let response = FailureResponse.make(Failure("X", "<script>\"'&"), in: .page, Request(method: .get, path: "/"))
        let html = String(decoding: response.body, as: UTF8.self)
        #expect(html.contains("&lt;script&gt;&quot;&#39;&amp;"))
        #expect(!html.contains("<script"))
    }
}
