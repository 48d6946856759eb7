import Accounts
import JSON
import ProjectSettings

/// The errors of hooks, in the words of Firebase's blocking functions. They never name the hook's address.
extension Failure {
    private static let code = "BLOCKING_FUNCTION_ERROR_RESPONSE"

    /// The JSON in the text is compact: the JS SDK cuts an error at a colon between spaces, and the iOS SDK takes the message out of the JSON.
    init(describing refusal: HookRefusal) {
        var json = JSONWriter(capacity: 128 + refusal.message.utf8.count)
        json.object { json in
            json.object("error") { json in
                json.field("code", Int64(refusal.code))
                json.field("message", refusal.message)
                json.field("status", refusal.status)
            }
        }
        self.init(
            Self.code, "HTTP Cloud Function returned an error: \(String(decoding: json.bytes, as: UTF8.self))",
            signInCodes: SignInCodes(sdk: "auth/internal-error", oauth: "access_denied"),
            words: refusal.message.isEmpty ? "The sign-in was refused." : refusal.message)
    }

    /// Of a setting. The double brackets are the API's.
    package static func invalidBlockingFunction(_ reason: String) -> Failure { Failure("INVALID_BLOCKING_FUNCTION", "((\(reason)))") }

    static func hookUnavailable(_ event: HookEvent) -> Failure {
        let words = event.isOfSignIn ? "The sign-in check did not answer." : "The check of the message did not answer."
        return Failure(
            code, "((\(words)))", signInCodes: SignInCodes(sdk: "auth/internal-error", oauth: "temporarily_unavailable"), words: words)
    }
}
