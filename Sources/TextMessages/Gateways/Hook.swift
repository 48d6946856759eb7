import Config
import Curl
import JSON
import Runtime
import Webhooks

/// A page of the operator's that sends the messages by a service of its own choice.
///
/// The request is signed by Standard Webhooks. Its id is the same at each attempt, so the page can leave out what it has sent already.
struct Hook: Gateway {
    static let name = "hook"

    let webhook: Webhook

    init?(_ section: Section, development: Bool) {
        section.require("url", "the address of your page that sends the messages")
        let url = section.address("url", development: development)
        let secrets = section.requiredSecrets("secrets").map(WebhookSecret.init)
        if section.has("secrets"), secrets.contains(where: { $0 == nil }) { section.fault("secrets", "is not \(WebhookSecret.form)") }
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
