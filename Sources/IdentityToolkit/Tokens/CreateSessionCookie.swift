import Accounts
import HTTP
import Projects
import Text
import Web

/// `projects:createSessionCookie`: a back end trades a person's ID token for a session cookie of its own pages.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects/createSessionCookie>
struct CreateSessionCookie: AdministratorEndpoint {
    static let route = Route.administrator(.post, "/v1/projects/{project}:createSessionCookie", right: .sessionCookies)

    struct Input: Decodable {
        var idToken: UTF8Text?
        /// Seconds; the longest life without it.
        var validDuration: Int64?
    }

    struct Output: Codable {
        let sessionCookie: String
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let life = input.validDuration.map { Duration.seconds($0) } ?? SessionCookies.longestLife
        guard (SessionCookies.shortestLife...SessionCookies.longestLife).contains(life) else { throw Failure.invalidDuration }
        return Output(
            sessionCookie: try await context.services.accounts.administration.sessionCookies.create(
                for: idToken, life: life, by: administrator))
    }
}
