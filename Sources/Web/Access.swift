import HTTP

/// Who may call, and for which project, by its API key. Checked before anything of the body is read.
enum Access {
    static func check(_ route: Route, _ request: Request, _ projects: Projects) throws(Failure) -> Project? {
        switch route.access {
        case .anyone: return nil
        case .development: return try checkLocality(request, projects)
        case .apiKey: return try keyed(request, projects)
        }
    }

    private static func keyed(_ request: Request, _ projects: Projects) throws(Failure) -> Project {
        // No access token of ours exists for these calls, so any bearer is one that we do not know. Other schemes count as absent.
        if let authorization = request.headers["authorization"], authorization.lowercased().hasPrefix("bearer ") {
            throw .unknownBearer
        }
        let keys = try Form.reading(request.query).all("key") + request.headers.values("x-goog-api-key")
        guard let key = keys.first, !key.isEmpty else { throw .missingAPIKey }
        guard keys.allSatisfy({ $0 == key }), let project = projects.project(apiKey: key, for: request) else { throw .invalidAPIKey }
        return project
    }

    /// Programs of this machine, and pages that it or a project serves: whatever else a browser of this machine has open must not read
    /// codes or delete accounts.
    private static func checkLocality(_ request: Request, _ projects: Projects) throws(Failure) -> Project? {
        guard request.isOfThisMachine else { throw .notOfThisMachine }
        for origin in request.headers.values("origin") where !ThisMachine.serves(origin: origin) {
            guard let host = URI.parse(origin)?.host, projects.all.contains(where: { $0.authorizes(host: host) }) else {
                throw .foreignOrigin
            }
        }
        return nil
    }
}
