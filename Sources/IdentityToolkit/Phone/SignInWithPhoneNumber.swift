import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `accounts:signInWithPhoneNumber`: exchanges the code of a text message for a session; with an ID token, gives the number to its account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPhoneNumber>
///
/// Where another account has the number, the answer to a caller with an ID token is a proof by which they can sign in to that one.
struct SignInWithPhoneNumber: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithPhoneNumber", v3: "verifyPhoneNumber")

    struct Input: Decodable {
        var sessionInfo: UTF8Text?
        var code: UTF8Text?
        var temporaryProof: UTF8Text?
        var phoneNumber: UTF8Text?
        var idToken: UTF8Text?
        var operation: OptionalEnum<Operation>?
    }

    /// The reason why the app asks. Only a person who signs in again must have an account.
    enum Operation: String, WireEnum {
        static let unspecified = "VERIFY_OP_UNSPECIFIED"
        case signUpOrIn = "SIGN_UP_OR_IN"
        case reauthenticate = "REAUTH"
        case update = "UPDATE"
        case link = "LINK"
    }

    struct Output: Codable {
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
        var localId: String?
        var isNewUser: Bool?
        var phoneNumber: String
        var temporaryProof: String?
        var temporaryProofExpiresIn: String?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.phone.enabled else {
            throw project.tenant == nil ? Failure.operationNotAllowed() : .unsupportedTenantOperation
        }
        let result = try await context.services.accounts.signIn.phones.signIn(
            by: try proof(of: input), linkingTo: input.idToken.flatMap { $0.isEmpty ? nil : $0.asString },
            makesAccounts: input.operation?.value != .reauthenticate, language: try context.language, in: project, from: context.clientInfo)
        switch result {
        case .signedIn(let account, let outcome, let isNewUser):
            let tokens = try IssuedTokens(account, outcome, context)
            return Output(
                idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn, localId: account.id,
                isNewUser: isNewUser, phoneNumber: account.phoneNumber ?? "")
        case .taken(let number, let proof, let lifetime):
            return Output(phoneNumber: number, temporaryProof: proof, temporaryProofExpiresIn: "\(lifetime.wholeSeconds)")
        }
    }

    private func proof(of input: Input) throws -> PhoneSignIns.Proof {
        if let proof = input.temporaryProof, !proof.isEmpty {
            guard let number = input.phoneNumber, !number.isEmpty else { throw Failure.missingPhoneNumber }
            return .temporary(proof.asString, number: number.asString)
        }
        guard let session = input.sessionInfo, !session.isEmpty else { throw Failure.missingSessionInfo }
        guard let code = input.code, !code.isEmpty else { throw Failure.missingCode }
        return .code(code.asString, session: session)
    }
}
