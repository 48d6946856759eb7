import Accounts
import Testing
import Text

@testable import Brokerage
@testable import Providers

@Suite struct BrokerageErrorTests {
    @Test(
        arguments: [
            (.denied("x"), "declined"), (.unavailable(detail: "x"), "outage"), (.invalidResponse("x", detail: ""), "providerFault"),
            (.misconfigured("x", detail: ""), "misconfigured"), (.badParameter("x"), "badParameter"), (.nonce, "nonce"),
            (.invalidCredential("x"), "invalidCredential"), (.clientRefused("x", error: "y", detail: ""), "misconfigured"),
        ] as [(ProviderError, String)])
    func `knows whose fault a provider's error is`(error: ProviderError, name: String) {
        #expect(BrokerageError(error).name == name)
        // Any client can send a bad parameter, and choose what it says.
        #expect(BrokerageError(error).logDetail == (name == "badParameter" ? nil : error.logDetail))
    }

    @Test func `gives one answer for every flow that is not there, and hands on what rules about accounts say`() {
        #expect(BrokerageError(AccountError.flowRefused).name == "unknownFlow")
        #expect(BrokerageError(AccountError.accountDisabled).name == "account")
    }

    @Test func `counts an outage as one, and everything else as a refusal`() {
        #expect(BrokerageError.outage(detail: "x").outcome == .providerUnavailable)
        for error in [BrokerageError.declined("x"), .misconfigured("x", detail: ""), .foreignAnswer("x", detail: ""), .unknownFlow] {
            #expect(error.outcome == .refused)
        }
    }

    @Test func `is the same error with the names of provider and project`() {
        for error in [BrokerageError.outage(detail: "x"), .declined("x"), .nonce, .unknownFlow] {
            let named = BrokerageError.at(provider: "oidc.test", project: "demo", error)
            #expect(named.outcome == error.outcome && named.logDetail == error.logDetail)
        }
    }

    @Test func `logs nothing for errors that any client can cause`() {
        #expect(BrokerageError.unknownFlow.logDetail == nil)
        #expect(BrokerageError.notEnabled("x").logDetail == nil)
        #expect(BrokerageError.badParameter("x").logDetail == nil)
        #expect(BrokerageError.account(.accountDisabled).logDetail == nil)
    }
}
