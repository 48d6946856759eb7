import Config
import Crypto
import Curl
import HTTP
import JSON
import Runtime
import Text

/// Twilio's Programmable Messaging. <https://www.twilio.com/docs/messaging/api/message-resource#create-a-message>
struct Twilio: Gateway {
    static let name = "twilio"

    let endpoint: String
    let accountSID: String
    /// The account itself, or an API key of it.
    let user: String
    let password: Secret
    /// A number or a name; `nil` where a messaging service chooses one.
    let from: String?
    let messagingServiceSID: String?

    init?(_ section: Section, development: Bool) {
        let account = section.identifier("accountSid")
        let key = section.identifier("apiKey", isRequired: false)
        let password = section.requiredSecret("secret")
        let from = section.sender("from")
        let service = section.identifier("messagingServiceSid", isRequired: false)
        endpoint = section.endpoint("https://api.twilio.com", development: development)
        if section.has("from") == section.has("messagingServiceSid") {
            section.fault("from", "write from or messagingServiceSid, one of the two")
        }
        section.finish()
        guard let account, from != nil || service != nil else { return nil }
        accountSID = account
        user = key ?? account
        self.password = password
        self.from = from
        messagingServiceSID = service
    }

    func request(for message: TextMessage, at time: Instant) -> OutboundRequest {
        var fields: [(name: String, value: String)] = [("To", message.to)]
        if let from { fields.append(("From", from)) }
        if let messagingServiceSID { fields.append(("MessagingServiceSid", messagingServiceSID)) }
        fields += [
            ("Body", message.text), ("ValidityPeriod", "\(message.secondsLeft(at: time))"), ("RiskCheck", "enable"),
        ]
        return .form(
            "\(endpoint)/2010-04-01/Accounts/\(accountSID)/Messages.json", Form(fields), user: user, password: password)
    }

    /// 20429 says that requests came too fast. The other codes refuse for good: 21211 and 21614 the number, 21408 its region, 21610 since its person
    /// wants no messages, 30450 since it looks like fraud.
    func verdict(on answer: OutboundResponse) -> GatewayVerdict {
        guard answer.status == 201 else {
            let code = (try? JSON.parse(answer.body))?["code"]?.integer
            return code == 20429 ? .busy("error 20429") : GatewayVerdict(failed: answer.status, code.map { "\($0)" })
        }
        return .taken
    }
}

extension GatewayVerdict {
    /// The verdict where only one status of success counts, and `status` is not it.
    init(failed status: Int, _ detail: String?) {
        let verdict = GatewayVerdict(status: status, detail: detail)
        self = verdict == .taken ? .refused("unexpected status \(status)") : verdict
    }
}

extension OutboundRequest {
    /// A form that is posted with a name and a password. <https://www.rfc-editor.org/rfc/rfc7617>
    static func form(_ url: String, _ form: Form, user: String, password: Secret) -> OutboundRequest {
        OutboundRequest(
            .post, url,
            headers: [
                "content-type": "application/x-www-form-urlencoded",
                "authorization": "Basic " + Base64.encode(Array("\(user):\(password.reveal())".utf8)),
            ], body: Array(form.encoded().utf8))
    }
}
