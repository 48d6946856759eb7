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
        section.require("url", "the address of your webhook, which sends the messages")
        let url = section.address("url", development: development)
        let texts = section.requiredSecrets("secrets")
        let secrets = texts.map(WebhookSecret.init)
        // One that could not be read is empty, and has its fault already.
        for (index, text) in texts.enumerated() where secrets[index] == nil && !text.reveal().isEmpty {
            section.fault(texts.count > 1 ? "secrets[\(index)]" : "secrets", "is not \(WebhookSecret.form)")
        }
        section.finish()
        guard let url, !secrets.contains(where: { $0 == nil }) else { return nil }
        webhook = Webhook(url: url, secrets: secrets.compactMap(\.self))
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
