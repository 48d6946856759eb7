package import Accounts
import Identity
package import JSON
import Providers
package import Text

/// A sign-in with what a provider proved minutes ago: the client kept it, sealed, as a pending token.
extension BrokeredProject {
    /// Spends the token. One round trip to the database.
    package func redeem(pendingToken: UTF8Text) async throws(BrokerageError) -> ProvenSignIn {
        let kept: (answer: [UInt8], proof: PendingTokens.Proof)
        do { kept = try await brokerage.accounts.signIn.pendingTokens.redeem(pendingToken.asString, in: settings) } catch {
            throw BrokerageError(error)
        }
        // Another version may have kept it in another form.
        guard let result = try? JSON.parse(kept.answer).decode(ProviderResult.self) else { throw .account(.invalidPendingToken) }
        // The provider may be switched off by now, or its entry may mean another issuer's people.
        let provider = try provider(UTF8Text(result.identity.providerID))
        guard provider.storedIssuer.isExactly(result.identity.issuer) else { throw .account(.invalidPendingToken) }
        return ProvenSignIn(result: result, proof: kept.proof)
    }

    /// The same proof for later, in the client's hands; good no longer than the pending token that it came from, if it came from one.
    ///
    /// - Parameter outcome: what the proof has come to; `nil` when it was refused.
    /// - Returns: `nil` when a pending token has signed in: each signs in once.
    package func pendingToken(for proven: ProvenSignIn, after outcome: FederatedSignIn?) throws(JSONError) -> String? {
        let account: Account?
        switch outcome {
        case .signedIn(let signedIn, _, _, _):
            guard proven.proof == nil else { return nil }
            account = signedIn
        case .needsConfirmation(let accountOfAddress): account = accountOfAddress
        case nil: account = nil
        }
        let answer = try JSON(encoding: proven.result).bytes()
        return brokerage.accounts.signIn.pendingTokens.issue(answer, about: account?.id, proof: proven.proof, in: settings)
    }
}
