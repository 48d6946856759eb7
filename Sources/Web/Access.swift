import HTTP

/// Who calls: the project, by its API key. Checked before anything of the body is read.
enum Access {
    static func check(_ route: Route, _ request: Request, _ projects: Projects) throws(Failure) -> Project? {
        guard route.access == .apiKey else { return nil }
        // No access token of ours exists for these calls, so any bearer is one that we do not know. Other schemes count as absent.
        if let authorization = request.headers["authorization"], authorization.lowercased().hasPrefix("bearer ") {
            throw .unknownBearer
        }
        let keys = try Form.reading(request.query).all("key") + request.headers.values("x-goog-api-key")
        guard let key = keys.first, !key.isEmpty else { throw .missingAPIKey }
        guard keys.allSatisfy({ $0 == key }), let project = projects.project(apiKey: key) else { throw .invalidAPIKey }
        return project
    }
}
