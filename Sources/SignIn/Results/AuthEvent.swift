import Accounts
import JSON
import Text

/// The end of a flow as the JS SDK's iframe hands it to the app's page; the SDK redeems it by `accounts:signInWithIdp`.
struct AuthEvent {
    let handoff: Handoff
    let outcome: Outcome

    enum Outcome: Equatable {
        /// The address that redeems, and the session's secret, which no address ever holds.
        case success(link: String, sessionID: String)
        /// `code` begins with `auth/`, or the SDK makes an internal error of it.
        case failure(code: String, message: String)
    }

    var json: JSON {
        var event: JSON.Object = [
            "type": .string(handoff.authType.rawValue), "eventId": handoff.eventID.map(JSON.string) ?? .null, "urlResponse": .null,
            "sessionId": .null, "postBody": .null, "tenantId": .null, "error": .null,
        ]
        switch outcome {
        case .success(let link, let sessionID):
            event["urlResponse"] = .string(link)
            event["sessionId"] = .string(sessionID)
        case .failure(let code, let message): event["error"] = ["code": .string(code), "message": .string(message)]
        }
        return .object(event)
    }

    /// By what the SDK's pages on the handler's host tell their apps apart.
    static func storageKey(_ handoff: Handoff) -> String { "\(handoff.apiKey):\(handoff.appName ?? "")" }
}
