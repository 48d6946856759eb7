package import HTTP
import Text

/// CORS for the API: every origin may call, since the API reads no cookie and no other credential that a browser sends by itself. Errors
/// carry the same headers; otherwise browsers would show them as network failures.
package enum CrossOrigin {
    package static func allow(_ request: Request, on response: inout Response) {
        guard let origin = request.headers["origin"], response.headers["access-control-allow-origin"] == nil else { return }
        response.headers.add("access-control-allow-origin", origin)
        response.headers.add("vary", "Origin")
    }

    /// The same, for pages of `origins` alone.
    static func allow(_ request: Request, on response: inout Response, from origins: Set<UTF8Text>) {
        guard let origin = request.headers["origin"], origins.contains(origin) else { return }
        allow(request, on: &response)
    }

    /// The answer to a preflight for any path. It promises nothing that the call itself does not check.
    package static func preflight(_ request: Request) -> Response {
        var response = Response(status: 204)
        allow(request, on: &response)
        response.headers.add("access-control-allow-methods", "GET, POST, PATCH, PUT, DELETE, OPTIONS")
        if let asked = request.headers["access-control-request-headers"] { response.headers.add("access-control-allow-headers", asked) }
        if request.headers["access-control-request-private-network"] == "true" {
            response.headers.add("access-control-allow-private-network", "true")
        }
        // One day. Firefox follows it; Chromium asks again after two hours. SDKs need a preflight for almost every call.
        response.headers.add("access-control-max-age", "86400")
        return response
    }
}
