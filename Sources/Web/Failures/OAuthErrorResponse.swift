import HTTP
import JSON
import Text

/// Writes the errors of the endpoints that relying parties call. <https://www.rfc-editor.org/rfc/rfc6749#section-5.2>
///
/// AppAuth takes each answer with a JSON member `error` for a fact about the grant, and signs its user out. So a limit is JSON without that
/// member, and an overload and a fault are plain text, each with `Retry-After` where a repetition helps.
enum OAuthErrorResponse {
    static func make(_ failure: Failure, _ requestID: RequestID) -> Response {
        switch failure.kind {
        case _ where failure.isLimit: limited(requestID)
        case .notFound, .methodNotAllowed, .bodyTooLarge, .encodedBody:
            text(failure.code.lowercased(), status: failure.kind.httpStatus, requestID)
        // A request without credentials is not told more than how to bring them (RFC 6750 §3.1).
        case .oauthError(let status, .bearer):
            text(failure.errorDescription, status: status, requestID, ["www-authenticate": header(.bearer, failure)])
        case .oauthError(let status, let challenge): json(failure, status: status, challenge)
        default: json(failure, status: 400, nil)
        }
    }

    private static func limited(_ requestID: RequestID) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.field("error_description", "Too many attempts. Try again later.")
            json.field("request_id", "\(requestID)")
        }
        var response = self.json(json.bytes, status: 429)
        response.headers.add("retry-after", FailureResponse.patience)
        return response
    }

    private static func text(_ text: String, status: Int, _ requestID: RequestID, _ more: Headers = [:]) -> Response {
        var headers = more
        headers.add("content-type", "text/plain; charset=utf-8")
        headers.add("cache-control", "no-store")
        headers.add("pragma", "no-cache")
        return Response(status: status, headers: headers, body: Array("\(text), request \(requestID)\n".utf8))
    }

    private static func json(_ failure: Failure, status: Int, _ challenge: Failure.Challenge?) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.field("error", failure.oauthError)
            json.field("error_description", failure.errorDescription)
        }
        var response = self.json(json.bytes, status: status)
        if let challenge { response.headers.add("www-authenticate", header(challenge, failure)) }
        return response
    }

    private static func json(_ bytes: [UInt8], status: Int) -> Response {
        var response = Response(json: bytes, status: status)
        response.headers["content-type"] = "application/json"
        response.headers.add("pragma", "no-cache")
        return response
    }

    private static func header(_ challenge: Failure.Challenge, _ failure: Failure) -> String {
        switch challenge {
        case .basic: "Basic realm=\"clients\", charset=\"UTF-8\""
        case .bearer: "Bearer realm=\"userinfo\""
        case .bearerWithError:
            "Bearer realm=\"userinfo\", error=\"\(failure.oauthError)\", error_description=\"\(failure.errorDescription)\""
        }
    }
}

extension Failure {
    /// The text for developers, in the characters that RFC 6749 §4.1.2.1 permits: printable ASCII without quotation mark and backslash.
    package var errorDescription: String {
        let text = (detail ?? message).unicodeScalars.map { scalar in
            let isPermitted = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
            return isPermitted ? Character(scalar) : "'"
        }
        return String(text)
    }
}
