package import Accounts
import HTTP
import Providers
package import Text

/// Redeem: the client that started a sign-in trades its result for what the provider proved. The provider's code is used here, once.
extension BrokeredProject {
    /// The result of a flow whose answer our handler took. One round trip: returned → redeeming.
    ///
    /// - Parameters:
    ///   - sessionID: the secret of the client that started the flow.
    ///   - page: where the browser was sent with the code; the flow's own page, when a page takes the result.
    ///   - isHandler: whether that address is our handler's, when an SDK takes the result.
    package func redeem(
        _ code: UTF8Text, of flowID: FlowID, sessionID: UTF8Text?, page: UTF8Text, isHandler: Bool
    ) async throws(BrokerageError) -> ProvenSignIn {
        guard let sessionID, let code = OneTimeCode(code) else { throw .unknownFlow }
        let flow: SignInFlow
        let bytes: [UInt8]
        do {
            (flow, bytes) = try await brokerage.accounts.signIn.flows.redeem(
                flowID: flowID.bytes, code, sessionID: sessionID.asString, page: page.asString, isHandler: isHandler, in: settings)
        } catch { throw BrokerageError(error) }
        guard let form = Form(bytes) else { throw .badParameter("The form or query is malformed.") }
        return try await exchange(try ProviderAnswer(form), of: flow, isChecked: true)
    }

    /// The result of a client flow, whose client posts the provider's answer itself. One round trip: started → redeeming.
    ///
    /// - Parameter page: where the provider sent the browser; the flow's own redirect URI.
    package func redeem(
        _ answer: ProviderAnswer, sessionID: UTF8Text?, page: UTF8Text
    ) async throws(BrokerageError) -> ProvenSignIn {
        let state = try answer.state
        guard let sessionID else { throw .unknownFlow }
        let flow: SignInFlow
        do {
            flow = try await brokerage.accounts.signIn.flows.redeem(state, sessionID: sessionID.asString, page: page.asString, in: settings)
        } catch { throw BrokerageError(error) }
        return try await exchange(answer, of: flow, isChecked: false)
    }

    /// Exchanges the provider's answer for proof. If anything fails, the flow has ended, because a code works only once.
    ///
    /// - Parameter isChecked: whether the answer was checked when it came, before it was sealed.
    private func exchange(
        _ answer: ProviderAnswer, of flow: SignInFlow, isChecked: Bool
    ) async throws(BrokerageError) -> ProvenSignIn {
        do throws(BrokerageError) {
            let provider = configured(try provider(UTF8Text(flow.providerID)))
            if !isChecked {
                try await answer.check(of: provider)
                if let refusal = answer.refusal { throw refusal }
            }
            return ProvenSignIn(result: try await redeem(answer, of: flow, at: provider), flow: flow)
        } catch {
            try? await brokerage.accounts.signIn.flows.recordFailure(of: flow)
            count(flow.providerID, endedBy: error)
            throw at(flow.providerID, error)
        }
    }

    private func redeem(
        _ answer: ProviderAnswer, of flow: SignInFlow, at provider: ConfiguredProvider
    ) async throws(BrokerageError) -> ProviderResult {
        do {
            return try await provider.redeem(answer: answer.form, redirectURI: flow.redirectURI, secrets: flow.secrets)
        } catch { throw BrokerageError(error) }
    }
}
