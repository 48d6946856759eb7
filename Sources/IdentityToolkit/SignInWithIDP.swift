import Accounts
import HTTP
import JSON
import Providers
import Web

/// `accounts:signInWithIdp`: ends every federated sign-in. The code is exchanged here, on the server, and nowhere else.
///
/// Request → one of four ways in (`IDPRequest`) → what the provider proved (`IDPAnswer`) → the account it opens (`Accounts.signIn`).
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp>
struct SignInWithIDP: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithIdp", v3: "verifyAssertion")

    struct Input: Decodable {
        var requestUri: String?
        var postBody: String?
        var sessionId: String?
        var pendingToken: String?
        var pendingIdToken: String?
        var idToken: String?
        var autoCreate: Bool?
        var returnIdpCredential: Bool?
    }

    typealias Output = IDPOutput

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let request = try IDPRequest(
            requestURI: input.requestUri, postBody: input.postBody, pendingToken: input.pendingToken ?? input.pendingIdToken)
        let accounts = context.services.accounts
        let settings = try context.project.settings
        let wish: Linking.Wish
        if let idToken = input.idToken, !idToken.isEmpty {
            wish = .link(try await accounts.account(forIDToken: idToken, in: settings).0)
        } else {
            wish = .signIn(mayCreate: input.autoCreate ?? true)
        }
        let (answer, flow) = try await IDPAnswer.obtain(by: request, sessionID: input.sessionId, context)
        let identity = answer.identity.proven
        do {
            let outcome = try await accounts.signIn(
                with: identity, wish: wish, in: settings, from: context.origin,
                completing: flow.map(context.services.flows.completion))
            return try output(outcome, answer, wish, context)
        } catch {
            // The provider's code is spent: the flow cannot be tried again. Should even this fail, it expires in `redeeming`.
            if let flow { try? await context.services.flows.fail(flow) }
            context.services.signIns.count(identity.providerID, .refused)
            guard input.returnIdpCredential ?? false, let code = Self.conflict(error) else { throw error }
            var output = IDPOutput(answer, pendingToken: try answer.pendingToken(context))
            output.errorMessage = code
            return output
        }
    }

    /// Conflicts that SDKs want as an answer that still holds the credential, so that they can sign in with it.
    private static func conflict(_ error: any Error) -> String? {
        switch error {
        case AccountError.identityTaken, AccountError.emailTaken: Failure(telling: error).code
        default: nil
        }
    }

    private func output(
        _ outcome: FederatedSignIn, _ answer: UpstreamResult, _ wish: Linking.Wish, _ context: Context
    ) throws -> Output {
        var output = IDPOutput(answer, pendingToken: try answer.pendingToken(context))
        let provider = answer.identity.providerID
        switch outcome {
        case .needsConfirmation(let account):
            context.services.signIns.count(provider, .needsConfirmation)
            output.needConfirmation = true
            output.verifiedProvider = account.identities.map(\.providerID)
        case .signedIn(let account, let session, let isNewUser, let emailRecycled):
            if case .link = wish {
                context.services.signIns.count(provider, .linked)
            } else {
                context.services.signIns.count(provider, isNewUser ? .created : .signedIn)
            }
            let tokens = try IssuedTokens(account, session, context)
            output.localId = account.id
            output.isNewUser = isNewUser ? true : nil
            output.emailRecycled = emailRecycled ? true : nil
            output.idToken = tokens.idToken
            output.refreshToken = tokens.refreshToken
            output.expiresIn = tokens.expiresIn
        }
        return output
    }
}
