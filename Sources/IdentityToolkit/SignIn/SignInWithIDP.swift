import Accounts
import HTTP
import Identity
import JSON
import Providers
import Text
import Web

/// `accounts:signInWithIdp`: ends every federated sign-in. The code is exchanged here, on the server, and nowhere else.
///
/// Request → one of four ways in (`IDPRequest`) → what the provider proved (`IDPAnswer`) → the account it opens (`FederatedSignIns`).
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp>
struct SignInWithIDP: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithIdp", v3: "verifyAssertion")

    struct Input: Decodable {
        var requestUri: UTF8Text?
        var postBody: UTF8Text?
        var sessionId: UTF8Text?
        var pendingToken: UTF8Text?
        var pendingIdToken: UTF8Text?
        var idToken: UTF8Text?
        var autoCreate: Bool?
        var returnIdpCredential: Bool?
    }

    typealias Output = IDPOutput

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let request = try IDPRequest(
            requestURI: input.requestUri, postBody: input.postBody, pendingToken: input.pendingToken ?? input.pendingIdToken)
        try await context.limit(.federatedSignIn)
        let accounts = context.services.accounts
        let (settings, language) = (try context.project.settings, try context.language)
        var intent: SignInIntent
        if let idToken = input.idToken, !idToken.isEmpty {
            intent = .link(try await accounts.idTokens.account(of: idToken.asString, in: settings).1)
        } else {
            intent = .signIn(mayCreate: input.autoCreate ?? true)
        }
        let answer = try await IDPAnswer.obtain(by: request, sessionID: input.sessionId, context)
        if case .signIn = intent, answer.flow?.handoff?.authType.isReauthentication ?? false {
            // The JS SDK says so at the start of the flow alone.
            intent = .signIn(mayCreate: false)
        }
        let outcome: FederatedSignIn
        do {
            outcome = try await accounts.federatedSignIns.signIn(
                with: answer.result.identity, provenAt: answer.proof?.provenAt, intent, language: language, in: settings,
                from: context.origin, completing: answer.flow.map(context.services.flows.completion))
        } catch {
            // The provider's code is spent: the flow cannot be tried again. Should even this fail, it expires in `redeeming`.
            if let flow = answer.flow { try? await context.services.flows.fail(flow) }
            guard input.returnIdpCredential ?? false, let code = Self.conflict(error) else { throw error }
            var output = IDPOutput(answer.result, pendingToken: try answer.pendingToken(context))
            output.errorMessage = code
            return output
        }
        return try output(outcome, answer, context)
    }

    /// Conflicts that SDKs want as an answer that still holds the credential, so that they can sign in with it.
    private static func conflict(_ error: AccountError) -> String? {
        switch error {
        case .identityTaken, .emailTaken: Failure(telling: error).code
        default: nil
        }
    }

    private func output(
        _ outcome: FederatedSignIn, _ answer: IDPAnswer, _ context: Context
    ) throws -> Output {
        var output = IDPOutput(answer.result, pendingToken: try answer.pendingToken(context))
        switch outcome {
        case .needsConfirmation(let account):
            output.needConfirmation = true
            // Anybody can have an identity that bears a stranger's address: how the stranger signs in is for who has proven it.
            let isProtected = try context.project.settings.emailEnumerationProtection
            if answer.result.identity.emailVerified || !isProtected {
                output.verifiedProvider = account.identities.map(\.providerID)
            }
        case .signedIn(let account, let session, let isNewUser, let emailRecycled):
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
