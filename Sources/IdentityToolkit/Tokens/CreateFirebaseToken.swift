import Accounts
import HTTP
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `accounts:createFirebaseToken`: a custom token by which the app signs the person in at a Firebase project, for its data.
///
/// It is a call of this server's own; Firebase has none like it.
struct CreateFirebaseToken: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:createFirebaseToken")

    struct Input: Decodable {
        var idToken: UTF8Text?
    }

    struct Output: Codable {
        let customToken: String
        /// Seconds.
        let expiresIn: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        guard let access = try context.project.settings.firestore else {
            throw Failure.operationNotAllowed("This project has no data at Firebase (firestore in its file).")
        }
        let token = try await context.services.accounts.firestoreTokens.token(
            forIDToken: idToken.asString, of: access, in: context.project.settings, from: context.clientInfo)
        return Output(customToken: token, expiresIn: String(FirestoreTokens.lifetime.wholeSeconds))
    }
}
