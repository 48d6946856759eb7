import Accounts
import HTTP
import Web

/// The routes of a project's configuration, which administrators may read. The Firebase CLI asks for them behind `/admin`.
enum ConfigurationRoutes {
    /// - Parameters:
    ///   - path: below the project, such as `/config`.
    ///   - others: further paths below the project whose calls are the same.
    ///   - ofTenants: whether tenants have it as well.
    static func route(
        _ method: HTTP.Method, _ path: String, others: [String] = [], ofTenants: Bool = false, right: Administrator.Right = .readUsers
    ) -> Route {
        let ofProject = others.map(below)
        let others = ofProject + (ofTenants ? ([path] + others).map { below("/tenants/{tenant}\($0)") } : [])
        let ofCommandLine = ([below(path)] + others).map { "/admin\($0)" }
        let host = Route.GoogleHost.identityToolkit.rawValue
        let aliases = others + ofCommandLine + (others + ofCommandLine).map { "/\(host)\($0)" }
        return .administrator(method, below(path), right: right, aliases: aliases)
    }

    private static func below(_ path: String) -> String { "/v2/projects/{project}\(path)" }
}
