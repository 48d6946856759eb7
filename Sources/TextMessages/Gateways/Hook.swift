import Config
import Curl
import JSON
import Runtime
import Webhooks

/// A webhook of the operator's, which sends the messages by a service of its own choice.
///
/// The request is signed by Standard Webhooks. Its id is the same at each attempt, so the webhook can leave out what it has sent already.
struct Hook: Gateway {
    static let name = "hook"

    let webhook: Webhook

    init?(_ section: Section, development: Bool) {
        let webhook = Webhook(section, purpose: "the address of your webhook, which sends the messages", development: development)
        section.finish()
        guard let webhook else { return nil }
        self.webhook = webhook
    }

    func request(for message: TextMessage, at time: Instant) -> OutboundRequest {
        var body = JSONWriter(capacity: 512)
        body.object { body in
            body.field("type", "sms")
            body.field("id", message.id)
            body.field("projectId", message.projectID)
            body.field("purpose", message.purpose)
            body.field("to", message.to)
            body.field("region", message.region)
            body.field("language", message.language)
            body.field("text", message.text)
            body.field("code", message.code)
            body.field("appSignatureHash", message.appSignatureHash)
            body.field("expiresAt", message.expires.seconds)
        }
        return webhook.request(id: message.id, body.bytes, at: time)
    }

    func verdict(on answer: OutboundResponse) -> GatewayVerdict { GatewayVerdict(status: answer.status) }
}
