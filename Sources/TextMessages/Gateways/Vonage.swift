import Config
import Curl
import HTTP
import JSON
import Runtime
import Text

/// Vonage's SMS API. <https://developer.vonage.com/en/api/sms>
struct Vonage: Gateway {
    static let name = "vonage"

    let endpoint: String
    let key: String
    let secret: Secret
    let from: String

    init?(_ section: Section, development: Bool) {
        let key = section.identifier("apiKey")
        let secret = section.requiredSecret("secret")
        section.require("from", "the sender that phones show")
        let from = section.sender("from")
        endpoint = section.endpoint("https://rest.nexmo.com", development: development)
        section.finish()
        guard let key, let from else { return nil }
        self.key = key
        self.secret = secret
        self.from = from
    }

    func request(for message: TextMessage, at time: Instant) -> OutboundRequest {
        var fields: [(name: String, value: String)] = [
            ("from", from.hasPrefix("+") ? String(from.dropFirst()) : from), ("to", String(message.to.dropFirst())), ("text", message.text),
        ]
        if !message.isGSM { fields.append(("type", "unicode")) }
        // Milliseconds, of which the service takes at least 20 seconds.
        fields.append(("ttl", "\(max(20, message.secondsLeft(at: time)) * 1000)"))
        return .form("\(endpoint)/sms/json", Form(fields), user: key, password: secret)
    }

    /// The status of the answer is always 200; each part of the message has a status of its own, as a text: 0 is success, 1 says that requests came
    /// too fast. 5 says that the service failed, which tells nothing about whether the message goes out.
    func verdict(on answer: OutboundResponse) -> GatewayVerdict {
        guard answer.status == 200 else { return GatewayVerdict(failed: answer.status, nil) }
        let parts = (try? JSON.parse(answer.body))?["messages"]?.array?.map { $0["status"]?.string?.asString } ?? []
        guard let failed = parts.first(where: { $0 != "0" }) else { return parts.isEmpty ? .refused("an answer without a status") : .taken }
        let code = failed.flatMap { Int($0) }.map { "status \($0) of a message" } ?? "an answer without a status"
        return failed == "1" && parts.count == 1 ? .busy(code) : .refused(code)
    }
}
