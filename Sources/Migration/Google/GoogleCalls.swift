package import Curl
import HTTP
import JSON
package import ProjectSettings
package import Runtime

/// Calls of Google's Identity Toolkit about one Firebase project, in the name of a service account.
package struct GoogleCalls: Sendable {
    let projectID: String
    let account: GoogleServiceAccount
    private let upstream: any Upstream
    private let access: GoogleAccess
    private let clock: Clock

    package init(projectID: String, account: GoogleServiceAccount, upstream: any Upstream, access: GoogleAccess, clock: Clock) {
        self.projectID = projectID
        self.account = account
        self.upstream = upstream
        self.access = access
        self.clock = clock
    }

    /// The answer to one call, as JSON and as bytes.
    ///
    /// - Parameters:
    ///   - path: behind the name of the host, with its query.
    ///   - name: the name of the call, for the log.
    ///   - longest: the most bytes of the answer.
    func success(
        _ method: HTTP.Method, _ path: String, _ name: String, _ body: JSON? = nil, timeout: Duration, longest: Int = 1 << 20
    ) async throws(GoogleFailure) -> (json: JSON, bytes: [UInt8]) {
        var request = OutboundRequest(
            method, GoogleAddress.identityToolkit + path, headers: ["accept": "application/json"], body: body?.bytes())
        if body != nil { request.headers.add("content-type", "application/json") }
        request.timeout = timeout
        request.maxBytes = longest
        do { return try await send(request, name) } catch {
            // Google may have ended the access token before its time.
            guard case .misconfigured = error else { throw error }
            access.forget(tokenOf: account)
            return try await send(request, name)
        }
    }

    private func send(_ request: OutboundRequest, _ name: String) async throws(GoogleFailure) -> (json: JSON, bytes: [UInt8]) {
        var request = request
        request.headers.add("authorization", "Bearer \(try await access.token(of: account, upstream, at: clock.now()).reveal())")
        return try await GoogleAnswer.success(of: request, name, by: upstream)
    }
}
