package import Curl
import HTTP
package import Runtime

/// An endpoint of the operator's that this server calls, and the secrets by which it knows who calls.
///
/// Requests are signed as Standard Webhooks says, so that libraries for it verify them. The caller sends the request and decides what an answer
/// means: an endpoint that has taken the call answers with a status of 200 to 299.
/// <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>
package struct Webhook: Sendable {
    package let url: String
    /// While one takes another's place, requests are signed with both. None only in development mode, for hooks that a test suite sets: then
    /// requests have no signature of this kind.
    package let secrets: [WebhookSecret]

    package init(url: String, secrets: [WebhookSecret]) {
        self.url = url
        self.secrets = secrets
    }

    /// - Parameters:
    ///   - id: the same at each attempt to make one call, so that the endpoint can tell a repeated call from another one.
    ///   - body: JSON.
    ///   - time: of this attempt.
    package func request(id: String, _ body: [UInt8], at time: Instant) -> OutboundRequest {
        var headers: Headers = ["content-type": "application/json", "webhook-id": id, "webhook-timestamp": "\(time.seconds)"]
        if !secrets.isEmpty {
            headers.add("webhook-signature", secrets.map { $0.signature(of: body, id: id, at: time) }.joined(separator: " "))
        }
        return OutboundRequest(.post, url, headers: headers, body: body)
    }
}
