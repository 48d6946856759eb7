import Accounts
import HTTP
import Web

/// The routes of a project's configuration, which administrators may read. The Firebase CLI asks for them behind `/admin`.
enum ConfigurationRoutes {
    /// - Parameters:
    ///   - path: below the project, such as `/config`.
    ///   - others: further paths below the project whose calls are the same.
    ///   - elsewhere: whole paths of the same.
    static func route(_ method: HTTP.Method, _ path: String, others: [String] = [], elsewhere: [String] = []) -> Route {
        let others = others.map(below) + elsewhere
        let ofCommandLine = ([below(path)] + others).map { "/admin\($0)" }
        let host = Route.GoogleHost.identityToolkit.rawValue
        let aliases = others + ofCommandLine + (others + ofCommandLine).map { "/\(host)\($0)" }
        return .administrator(method, below(path), right: .readUsers, aliases: aliases)
    }

    private static func below(_ path: String) -> String { "/v2/projects/{project}\(path)" }
}
