import Accounts
import HTTP
import ProjectSettings
import Projects
import Text

/// Checks by the API key who calls and for which project, before anything of the body is read.
enum Access {
    static func check(_ route: Route, _ request: Request, _ projects: ProjectDirectory) throws(Failure) -> Project? {
        switch route.access {
        case .anyone, .relyingParty, .administrator: return nil
        case .development:
            try checkLocality(request, projects.current)
            return nil
        case .apiKey: return try keyed(request, projects)
        }
    }

    private static func keyed(_ request: Request, _ projects: ProjectDirectory) throws(Failure) -> Project {
        // No access token of ours exists for these calls, so every bearer token is unknown.
        guard request.bearerToken == nil else { throw .unknownBearer }
        let query = try Form.reading(request.query)
        let keys = query.all("key") + request.headers.values("x-goog-api-key")
        guard let key = keys.first, !key.isEmpty else { throw .missingAPIKey }
        guard keys.allSatisfy({ $0 == key }), let project = projects.project(apiKey: key, for: request) else { throw .invalidAPIKey }
        return project
    }

    /// Whether `checkLocality` admits the request.
    static func isLocal(_ request: Request, _ projects: Projects) -> Bool {
        do { try checkLocality(request, projects) } catch { return false }
        return true
    }

    /// Admits programs of this machine, and pages that this machine or a project serves. Other pages that a browser of this machine has
    /// open must not read codes or delete accounts.
    static func checkLocality(_ request: Request, _ projects: Projects) throws(Failure) {
        guard request.isOfThisMachine else { throw .notOfThisMachine }
        let origins = request.headers.values("origin")
        for origin in origins where !ThisMachine.serves(origin: origin, to: request) {
            // A page that came unencrypted may be anyone's on its way.
            guard let page = URI.parse(origin), page.scheme == "https", projects.all.contains(where: { $0.authorizes(host: page.host) })
            else { throw .foreignOrigin }
        }
        // The page of another site loads this address as a picture, a frame or a link: browsers send no Origin with those. An app at
        // localhost is cross-site to 127.0.0.1, too, but its calls have an Origin.
        if origins.isEmpty, request.headers.values("sec-fetch-site").contains("cross-site") { throw .foreignOrigin }
    }
}
