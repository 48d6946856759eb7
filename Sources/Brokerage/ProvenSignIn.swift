package import Accounts
import Identity
import ProjectSettings
package import Providers
import Runtime
import Text

/// The result of every way to prove who a person is at a provider, with what must end together with the sign-in.
package struct ProvenSignIn: Sendable {
    package let result: ProviderResult
    /// The flow that it came by; `nil` without one.
    let flow: SignInFlow?
    /// When the provider proved it, when a pending token kept it.
    let proof: PendingTokens.Proof?

    init(result: ProviderResult, flow: SignInFlow? = nil, proof: PendingTokens.Proof? = nil) {
        self.result = result
        self.flow = flow
        self.proof = proof
    }
}

extension BrokeredProject {
    /// Signs in with, or links, what was proven. Two round trips to the database: who has it, and everything that is written, with the
    /// flow's end.
    ///
    /// - Parameters:
    ///   - intent: what the caller wants. A flow that was started to reauthenticate makes no account, whatever the caller says later.
    ///   - language: of a mail to the account's owner.
    package func signIn(
        with proven: ProvenSignIn, _ intent: SignInIntent, language: String, from client: Session.ClientInfo
    ) async throws(BrokerageError) -> FederatedSignIn {
        var intent = intent
        // The JS SDK says this only at the start of the flow.
        if case .signIn = intent, proven.flow?.sdkRequest?.authType.isReauthentication ?? false { intent = .signIn(mayCreate: false) }
        do throws(BrokerageError) {
            if development != nil { try await pinMadeUp(proven) }
            do {
                return try await brokerage.accounts.signIn.federated.signIn(
                    with: identity(proven), intent, language: language, in: settings, from: client,
                    completing: proven.flow.map(brokerage.accounts.signIn.flows.redeemed))
            } catch { throw BrokerageError(error) }
        } catch {
            // The provider's code is used up, so the flow cannot be tried again. If even this fails, the flow expires in `redeeming`.
            if let flow = proven.flow { try? await brokerage.accounts.signIn.flows.recordFailure(of: flow) }
            throw error
        }
    }

    /// The identity, with the tokens that the entry of its provider has kept for back ends.
    private func identity(_ proven: ProvenSignIn) -> ProvenIdentity {
        let (identity, provenAt) = (proven.result.identity, proven.proof?.provenAt)
        let keepsTokens = providers[UTF8Text(identity.providerID)]?.keepsTokens ?? false
        let tokens = keepsTokens ? ProviderTokens(proven.result, at: provenAt ?? brokerage.clock.now()) : nil
        let credential = settings.hooks.isEmpty ? nil : ProviderCredential(proven.result)
        return ProvenIdentity(identity, provenAt: provenAt, tokens: tokens, credential: credential)
    }
}

extension ProviderCredential {
    fileprivate init(_ result: ProviderResult) {
        self.init(
            rawUserInfo: result.identity.rawUserInfo, idToken: result.idToken, accessToken: result.accessToken,
            tokenSecret: result.accessTokenSecret, refreshToken: result.refreshToken, expiresIn: result.expiresIn)
    }
}
