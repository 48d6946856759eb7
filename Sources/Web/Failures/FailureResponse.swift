import HTTP
import JSON
import Pages
import Text

/// Writes every error that the server answers with.
package enum FailureResponse {
    /// The value of `Retry-After` in seconds, after a limit was met.
    package static let patience = "30"
    /// The same, while the server or its database has too much to do.
    package static let patienceOfOverload = "1"

    static func make(_ failure: Failure, in errorFormat: ErrorFormat, _ request: Request, _ page: PageError? = nil) -> Response {
        var response =
            switch errorFormat {
            case .page: self.page(failure, request, page)
            case _ where failure.isOverload: overloaded(failure, request.id)
            case .oauthJSON: OAuthErrorResponse.make(failure, request.id)
            default: googleJSON(failure)
            }
        // <https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16>
        if failure.kind == .encodedBody { response.headers.add("accept-encoding", "identity") }
        return response
    }

    /// Not JSON on purpose: the JS SDK signs its user out when it gets a JSON error at start-up, and keeps the user when it gets anything
    /// else.
    private static func overloaded(_ failure: Failure, _ requestID: RequestID) -> Response {
        let text = overload(failure, requestID) + "\n"
        return Response(
            status: failure.kind.httpStatus,
            headers: ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "retry-after": patienceOfOverload],
            body: Array(text.utf8))
    }

    private static func overload(_ failure: Failure, _ requestID: RequestID) -> String {
        "\(failure.kind == .internal ? "internal error" : "temporarily unavailable"), request \(requestID)"
    }

    private static func googleJSON(_ failure: Failure) -> Response {
        var item: JSON.Object = ["message": .string(failure.message), "domain": "global", "reason": .string(failure.kind.reason)]
        var error: JSON.Object = ["code": .integer(Int64(failure.kind.httpStatus)), "message": .string(failure.message)]
        if failure.kind == .unauthenticated {
            item["location"] = "Authorization"
            item["locationType"] = "header"
        }
        error["errors"] = .array([.object(item)])
        error["status"] = failure.kind.status.map(JSON.string)
        if failure.kind == .invalidAPIKey {
            error["details"] = [
                [
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
                ]
            ]
        }
        return Response(json: JSON.object(["error": .object(error)]).bytes(), status: failure.kind.httpStatus)
    }

    /// A page for the person, with a link back to the app where the app's page is known, and a part in English for the app's developers.
    private static func page(_ failure: Failure, _ request: Request, _ page: PageError?) -> Response {
        let templates = page?.templates ?? .standard
        let reason = failure.isOverload ? overload(failure, request.id) : failure.words ?? failure.detail ?? failure.code
        var response = templates.page(
            "refused", in: templates.language(for: request, parameter: page?.language),
            [
                "reason": .text(reason), "link": .text(page?.link), "isSignOut": .flag(page?.occasion == .signOut),
            ], status: failure.isLimit ? 429 : failure.kind.httpStatus)
        if failure.isLimit || failure.isOverload {
            response.headers.add("retry-after", failure.isOverload ? patienceOfOverload : patience)
        }
        return response
    }
}

extension Failure.Kind {
    package var httpStatus: Int {
        switch self {
        case .business, .badRequest, .invalidAPIKey: 400
        case .oauthError(let status, _): status
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
        case .encodedBody: 415
        case .internal: 500
        case .unavailable: 503
        }
    }

    /// Google's canonical name of the status; business errors have none.
    fileprivate var status: String? {
        switch self {
        case .business, .oauthError, .internal, .unavailable: nil
        case .badRequest, .invalidAPIKey, .bodyTooLarge, .encodedBody: "INVALID_ARGUMENT"
        case .unauthenticated: "UNAUTHENTICATED"
        case .forbidden: "PERMISSION_DENIED"
        case .notFound: "NOT_FOUND"
        case .methodNotAllowed: "METHOD_NOT_ALLOWED"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .business, .oauthError, .internal, .unavailable: "invalid"
        case .badRequest, .invalidAPIKey, .bodyTooLarge, .encodedBody: "badRequest"
        case .unauthenticated: "authError"
        case .forbidden: "forbidden"
        case .notFound: "notFound"
        case .methodNotAllowed: "httpMethodNotAllowed"
        }
    }
}
