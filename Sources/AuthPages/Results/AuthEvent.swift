import Accounts
import JSON
import Text

/// The result of a flow, as the JS SDK's iframe hands it to the app's page. The SDK redeems it with `accounts:signInWithIdp`.
struct AuthEvent {
    let sdkRequest: SDKRequest
    /// `nil` for a sign-in to the project itself.
    let tenantID: String?
    let outcome: Outcome

    enum Outcome: Equatable {
        /// The address that redeems the result, and the session's secret, which is never part of an address.
        case success(link: String, sessionID: String)
        /// `code` begins with `auth/`; the SDK would turn any other code into an internal error.
        case failure(code: String, message: String)
    }

    var json: JSON {
        var event: JSON.Object = [
            "type": .string(sdkRequest.authType.rawValue), "eventId": sdkRequest.eventID.map(JSON.string) ?? .null, "urlResponse": .null,
            "sessionId": .null, "postBody": .null, "tenantId": tenantID.map(JSON.string) ?? .null, "error": .null,
        ]
        switch outcome {
        case .success(let link, let sessionID):
            event["urlResponse"] = .string(link)
            event["sessionId"] = .string(sessionID)
        case .failure(let code, let message): event["error"] = ["code": .string(code), "message": .string(message)]
        }
        return .object(event)
    }

    /// The key by which the SDK's pages on the handler's host tell their apps apart.
    static func storageKey(_ sdkRequest: SDKRequest) -> String { "\(sdkRequest.apiKey):\(sdkRequest.appName ?? "")" }
}
