import Curl
import HTTP
import Runtime
import Testing
import Text

@testable import Webhooks

@Suite struct WebhookTests {
    private let body = Array(#"{"test": 2432232314}"#.utf8)
    private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private let time = Instant(seconds: 1_614_265_330)

    private func secret(_ text: String) throws -> WebhookSecret { try #require(WebhookSecret(Secret(text))) }

    /// The vector of the specification's libraries.
    @Test func `signs as the libraries of Standard Webhooks do`() throws {
        let webhook = Webhook(url: "https://example.com/sms", secrets: [try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")])
        let request = webhook.request(id: id, body, at: time)
        #expect(request.method == .post)
        #expect(request.url == "https://example.com/sms")
        #expect(request.body == body)
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["webhook-id"] == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(request.headers["webhook-timestamp"] == "1614265330")
        #expect(request.headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `signs with each secret while one takes the place of another`() throws {
        let webhook = Webhook(
            url: "https://example.com/sms",
            secrets: [
                try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), try secret("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
            ])
        let signatures = webhook.request(id: id, body, at: time).headers["webhook-signature"]?.asString.split(separator: " ") ?? []
        #expect(signatures.count == 2)
        #expect(signatures.first == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(signatures.last?.hasPrefix("v1,") == true)
        #expect(Set(signatures).count == 2)
    }

    @Test(arguments: [
        ("whsec_" + String(repeating: "A", count: 32), true), ("whsec_" + String(repeating: "AAAA", count: 21) + "AA==", true),
        ("whsec_" + String(repeating: "AAAA", count: 22), false), ("whsec_" + String(repeating: "A", count: 28), false),
        (String(repeating: "A", count: 32), false), ("whsec_", false), ("whsec_!" + String(repeating: "A", count: 31), false),
        ("WHSEC_" + String(repeating: "A", count: 32), false),
    ])
    func `takes secrets of 24 to 64 bytes in the form of the specification`(text: String, isTaken: Bool) {
        #expect((WebhookSecret(Secret(text)) != nil) == isTaken)
    }

    @Test func `does not show a secret`() throws {
        let secret = try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        var dump = ""
        Swift.dump(secret, to: &dump)
        #expect(!(dump + "\(secret)").contains("MfKQ"))
    }
}
