import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `GET /v1/projects`: the facts about the project that an SDK needs before a redirect.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects>
struct GetProjectConfig: Endpoint {
    static let route = Route.client(.get, "/v1/projects", v3: "getProjectConfig")

    struct Input: Decodable {}

    struct Output: Codable {
        /// The project's number, not its id.
        var projectId: String
        /// SDKs also authorize the hosts below an entry, and do not know `*.`. The check that counts is this server's own.
        var authorizedDomains: [String]
        var allowPasswordUser: Bool?
        var enableAnonymousUser: Bool?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.tenant == nil else { throw Failure.unsupportedTenantOperation }
        return Output(
            projectId: String(project.number), authorizedDomains: Self.published(project.authorizedDomains),
            allowPasswordUser: project.signIn.password ? true : nil, enableAnonymousUser: project.signIn.anonymous ? true : nil)
    }

    private static func published(_ domains: [String]) -> [String] {
        domains.reduce(into: []) { published, domain in
            let host = AuthorizedDomain.host(of: domain)
            if !published.contains(host) { published.append(host) }
        }
    }
}
