import Accounts
import Brokerage
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `accounts:signInWithIdp`: ends every federated sign-in. The code is exchanged here, on the server, and nowhere else.
///
/// Request → one of four ways in (`SignInWithIDPRequest`) → what the provider proved (`ProvenSignIn`) → the account it opens
/// (`BrokeredProject.signIn`).
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
        /// The secret of a device on which a second factor was passed. Ours.
        var rememberedDeviceToken: UTF8Text?
    }

    typealias Output = IDPOutput

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let request = try SignInWithIDPRequest(
            requestURI: input.requestUri, postBody: input.postBody, pendingToken: input.pendingToken ?? input.pendingIdToken)
        let (broker, language) = (try context.broker, try context.language)
        try await broker.charge(.federatedSignIn, from: context.clientInfo)
        let intent = try await intent(input, context)
        let proven = try await request.proven(sessionID: input.sessionId, by: broker, context)
        let signIn: FederatedSignIn
        do {
            signIn = try await broker.signIn(
                with: proven, intent, language: language,
                from: context.clientInfo.on(input.rememberedDeviceToken.flatMap(DeviceToken.init)))
        } catch {
            guard input.returnIdpCredential ?? false, let code = Self.conflict(error) else { throw error }
            var output = IDPOutput(proven.result, pendingToken: try broker.pendingToken(for: proven, after: nil))
            output.errorMessage = code
            return output
        }
        return try await output(signIn, proven, broker, context)
    }

    private func intent(_ input: Input, _ context: Context) async throws -> SignInIntent {
        guard let idToken = input.idToken, !idToken.isEmpty else { return .signIn(mayCreate: input.autoCreate ?? true) }
        let (_, token) = try await context.services.accounts.idTokens.account(of: idToken.asString, in: context.project.settings)
        return .link(token)
    }

    /// Conflicts that SDKs expect as an answer that still contains the credential, so that they can sign in with it.
    private static func conflict(_ error: BrokerageError) -> String? {
        switch error {
        case .account(.identityTaken), .account(.emailTaken): Failure(describing: error).code
        default: nil
        }
    }

    private func output(
        _ signIn: FederatedSignIn, _ proven: ProvenSignIn, _ broker: BrokeredProject, _ context: Context
    ) async throws -> Output {
        var output = IDPOutput(proven.result, pendingToken: try broker.pendingToken(for: proven, after: signIn))
        switch signIn {
        case .needsConfirmation(let account):
            output.needConfirmation = true
            // Any person can have an identity with a stranger's address, so only a person who has proven the address learns how it signs
            // in.
            let isProtected = try context.project.settings.emailEnumerationProtection
            if proven.result.identity.emailVerified || !isProtected {
                output.verifiedProvider = account.signInProviders
            }
        case .signedIn(let account, let outcome, let isNewUser, let emailRecycled):
            let end = try await SignInEnd(account, outcome, context)
            output.localId = account.id
            output.isNewUser = isNewUser ? true : nil
            output.emailRecycled = emailRecycled ? true : nil
            output.idToken = end.idToken
            output.refreshToken = end.refreshToken
            output.expiresIn = end.expiresIn
            output.mfaPendingCredential = end.mfaPendingCredential
            output.mfaInfo = end.mfaInfo
        }
        return output
    }
}
