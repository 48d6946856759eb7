import Config
import Curl
import HTTP
import Runtime

/// Amazon's Simple Notification Service. <https://docs.aws.amazon.com/sns/latest/api/API_Publish.html>
struct SNS: Gateway {
    static let name = "sns"

    let endpoint: String
    let signature: AWSSignature
    let senderID: String?
    /// The most that one message may cost, in dollars.
    let maxPrice: String?

    init?(_ section: Section, development: Bool) {
        let region = section.identifier("region")
        let key = section.identifier("accessKeyId")
        let secret = section.requiredSecret("secretAccessKey")
        senderID = section.sender("senderId")
        maxPrice = section.value("maxPrice", expected: "a price in dollars, such as \"0.10\"") { text in
            text.price == nil ? nil : text
        }
        endpoint = section.endpoint("https://sns.\(region ?? "").amazonaws.com", development: development)
        section.finish()
        guard let region, let key else { return nil }
        signature = AWSSignature(keyID: key, secret: secret, region: region, service: "sns")
    }

    func request(for message: TextMessage, at time: Instant) -> OutboundRequest {
        var attributes = [("AWS.SNS.SMS.SMSType", "String", "Transactional")]
        if let senderID { attributes.append(("AWS.SNS.SMS.SenderID", "String", senderID)) }
        if let maxPrice { attributes.append(("AWS.SNS.SMS.MaxPrice", "Number", maxPrice)) }
        var fields: [(name: String, value: String)] = [
            ("Action", "Publish"), ("Version", "2010-03-31"), ("PhoneNumber", message.to), ("Message", message.text),
        ]
        for (number, (name, type, value)) in zip(1..., attributes) {
            let entry = "MessageAttributes.entry.\(number)"
            fields += [("\(entry).Name", name), ("\(entry).Value.DataType", type), ("\(entry).Value.StringValue", value)]
        }
        var request = OutboundRequest(
            .post, endpoint + "/", headers: ["content-type": "application/x-www-form-urlencoded; charset=utf-8"],
            body: Array(Form(fields).encoded().utf8))
        signature.sign(&request, at: time)
        return request
    }

    /// The answers are XML, of which only the name of an error counts.
    func verdict(on answer: OutboundResponse) -> GatewayVerdict {
        let text = String(decoding: answer.body, as: UTF8.self)
        if answer.status == 200 { return text.contains("<MessageId>") ? .taken : .refused("an answer without MessageId") }
        let code = text.element("Code")
        return code == "Throttling" || code == "ThrottledException"
            ? .busy("error Throttling") : GatewayVerdict(failed: answer.status, code)
    }
}

extension String {
    /// The text of the first XML element of this name, where it is a word.
    fileprivate func element(_ name: String) -> String? {
        guard let begin = ranges(of: "<\(name)>").first, let end = self[begin.upperBound...].ranges(of: "</\(name)>").first else {
            return nil
        }
        let word = self[begin.upperBound..<end.lowerBound]
        return word.utf8.count <= 64 && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
            ? String(word) : nil
    }

    /// The price that it names; `nil` for other texts.
    fileprivate var price: Double? {
        guard utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), utf8.count <= 8 else { return nil }
        return Double(self).flatMap { $0 > 0 ? $0 : nil }
    }
}
