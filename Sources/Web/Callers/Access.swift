import Accounts
import HTTP
import Text

/// Who may call, and for which project, by its API key. Checked before anything of the body is read.
enum Access {
    static func check(_ route: Route, _ request: Request, _ projects: Projects) throws(Failure) -> Project? {
        switch route.access {
        case .anyone: return nil
        case .development:
            try checkLocality(request, projects)
            return nil
        case .apiKey: return try keyed(request, projects)
        }
    }

    private static func keyed(_ request: Request, _ projects: Projects) throws(Failure) -> Project {
        // No access token of ours exists for these calls, so any bearer is one that we do not know. Other schemes count as absent.
        if let authorization = request.headers["authorization"], authorization.asciiLowercased.hasPrefix("bearer ") {
            throw .unknownBearer
        }
        let query = try Form.reading(request.query)
        let keys = query.all("key") + request.headers.values("x-goog-api-key")
        guard let key = keys.first, !key.isEmpty else { throw .missingAPIKey }
        guard keys.allSatisfy({ $0 == key }), let project = projects.project(apiKey: key, for: request) else { throw .invalidAPIKey }
        // Calls without a body name a tenant here; `JSONBody` refuses those of the others.
        guard (query.all("tenantId") + query.all("tenant_id")).allSatisfy(\.isEmpty) else { throw .unsupportedTenantOperation }
        return project
    }

    /// Programs of this machine, and pages that it or a project serves: whatever else a browser of this machine has open must not read
    /// codes or delete accounts.
    static func checkLocality(_ request: Request, _ projects: Projects) throws(Failure) {
        guard request.isOfThisMachine else { throw .notOfThisMachine }
        let origins = request.headers.values("origin")
        for origin in origins where !ThisMachine.serves(origin: origin) {
            guard let host = URI.parse(origin)?.host, projects.all.contains(where: { $0.authorizes(host: host) }) else {
                throw .foreignOrigin
            }
        }
        // A picture, a frame or a link of a foreign page: browsers send no Origin with them. An app at localhost is cross-site to
        // 127.0.0.1, too, but its calls have an Origin.
        if origins.isEmpty, request.headers.values("sec-fetch-site").contains("cross-site") { throw .foreignOrigin }
    }
}

extension Context {
    /// Whether the call may lack a proof that production asks for: it comes from this machine, to a server in development mode, for the
    /// development project (SEC-22).
    package var isOfDevelopment: Bool {
        let projects = services.projects.current
        guard services.site.development, let development = projects.development, let project = try? project,
            project.settings.id == development.settings.id
        else { return false }
        do { try Access.checkLocality(request, projects) } catch { return false }
        return true
    }
}
