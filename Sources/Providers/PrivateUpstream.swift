import Curl

/// An upstream for servers whose certificates come from the operator's own authorities, and from no others.
struct PrivateUpstream: Upstream {
    let upstream: any Upstream
    /// A PEM file.
    let authorities: String?

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        var request = request
        request.authorities = authorities
        return try await upstream.send(request)
    }
}
