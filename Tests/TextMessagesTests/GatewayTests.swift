import Config
import Curl
import FoundationEssentials
import HTTP
import Logging
import Runtime
import TestKit
import Testing
import Text

@testable import TextMessages

/// What the gateways are asked, and what their answers mean.
@Suite struct GatewayTests {
    private let now = Instant(seconds: 1_767_323_045)
    private let message = TextMessage(
        id: "6d1f", projectID: "acme", purpose: "signIn", to: "+4930123456", region: "DE", language: "de", text: "Code: 123456 für Acme",
        code: "123456", appSignatureHash: nil, expires: Instant(seconds: 1_767_323_045 + 300))

    /// The way that a project's file names, and the faults of it.
    private func read(_ yaml: String, development: Bool = false) throws -> (way: (any TextTransport)?, faults: [String]) {
        let folder = try TestFolder(["p.yaml": "transport:\n  \(yaml)\n"])
        let faults = Faults()
        let environment = ["A": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "B": "token", "SHORT": "whsec_AAAA"]
        let file = ConfigFile.read("\(folder.path)/p.yaml", environment: environment, faults: faults)
        let way = TextTransports.read(file.section("transport"), development: development)
        return (way, faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) })
    }

    private func gateway(_ yaml: String) throws -> any Gateway {
        let (way, faults) = try read(yaml)
        #expect(faults.isEmpty)
        return try #require(way as? any Gateway)
    }

    private func fields(_ request: OutboundRequest) throws -> [String] {
        try #require(Form(request.body ?? [])).fields.map { "\($0.name)=\($0.value)" }
    }

    @Test func `posts JSON to the operator's page, signed`() throws {
        let request = try gateway("hook: {url: 'https://example.com/sms', secrets: [{env: A}]}").request(for: message, at: now)
        #expect(request.method == .post)
        #expect(request.url == "https://example.com/sms")
        #expect(request.headers["webhook-id"] == "6d1f")
        #expect(request.headers["webhook-signature"]?.hasPrefix("v1,") == true)
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == #"{"type":"sms","id":"6d1f","projectId":"acme","purpose":"signIn","to":"+4930123456","region":"DE","language":"de","#
                + #""text":"Code: 123456 für Acme","code":"123456","expiresAt":1767323345}"#)
        var withHash = message
        withHash.appSignatureHash = "FA+9qCX9VSu"
        let body = try gateway("hook: {url: 'https://example.com/sms', secrets: [{env: A}]}").request(for: withHash, at: now).body ?? []
        #expect(String(decoding: body, as: UTF8.self).contains(#""appSignatureHash":"FA+9qCX9VSu""#))
    }

    @Test func `asks Twilio by its account or by a key`() throws {
        let request = try gateway("twilio: {accountSid: AC1, secret: {env: B}, from: '+15005550006'}").request(for: message, at: now)
        #expect(request.url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json")
        #expect(request.headers["authorization"] == "Basic QUMxOnRva2Vu")
        #expect(
            try fields(request) == [
                "To=+4930123456", "From=+15005550006", "Body=Code: 123456 für Acme", "ValidityPeriod=300", "RiskCheck=enable",
            ])
        let byKey = try gateway("twilio: {accountSid: AC1, apiKey: SK1, secret: {env: B}, messagingServiceSid: MG1}")
            .request(for: message, at: now)
        #expect(byKey.url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json")
        #expect(byKey.headers["authorization"] == "Basic U0sxOnRva2Vu")
        #expect(try fields(byKey).contains("MessagingServiceSid=MG1"))
    }

    @Test func `asks Vonage, and says where letters need the wide alphabet`() throws {
        let vonage = try gateway("vonage: {apiKey: k1, secret: {env: B}, from: Acme}")
        let request = vonage.request(for: message, at: now)
        #expect(request.url == "https://rest.nexmo.com/sms/json")
        #expect(request.headers["authorization"] == "Basic azE6dG9rZW4=")
        #expect(try fields(request) == ["from=Acme", "to=4930123456", "text=Code: 123456 für Acme", "ttl=300000"])
        var wide = message
        wide.text = "Код: 123456"
        #expect(try fields(vonage.request(for: wide, at: now)).contains("type=unicode"))
        var late = message
        late.expires = now
        #expect(try fields(vonage.request(for: late, at: now)).contains("ttl=20000"))
    }

    @Test func `asks Amazon, with a signature`() throws {
        let request = try gateway(
            "sns: {region: eu-central-1, accessKeyId: AKIDEXAMPLE, secretAccessKey: {env: B}, senderId: Acme, maxPrice: '0.10'}"
        ).request(for: message, at: now)
        #expect(request.url == "https://sns.eu-central-1.amazonaws.com/")
        #expect(request.headers["x-amz-date"] == "20260102T030405Z")
        #expect(
            request.headers["authorization"]?.asString.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-central-1/sns/aws4_request, "
                    + "SignedHeaders=content-type;host;x-amz-date, Signature=") == true)
        #expect(
            try fields(request) == [
                "Action=Publish", "Version=2010-03-31", "PhoneNumber=+4930123456", "Message=Code: 123456 für Acme",
                "MessageAttributes.entry.1.Name=AWS.SNS.SMS.SMSType", "MessageAttributes.entry.1.Value.DataType=String",
                "MessageAttributes.entry.1.Value.StringValue=Transactional", "MessageAttributes.entry.2.Name=AWS.SNS.SMS.SenderID",
                "MessageAttributes.entry.2.Value.DataType=String", "MessageAttributes.entry.2.Value.StringValue=Acme",
                "MessageAttributes.entry.3.Name=AWS.SNS.SMS.MaxPrice", "MessageAttributes.entry.3.Value.DataType=Number",
                "MessageAttributes.entry.3.Value.StringValue=0.10",
            ])
    }

    private static let ways = [
        "hook": "hook: {url: 'https://example.com/sms', secrets: [{env: A}]}",
        "twilio": "twilio: {accountSid: AC1, secret: {env: B}, from: Acme}", "vonage": "vonage: {apiKey: k1, secret: {env: B}, from: Acme}",
        "sns": "sns: {region: eu-central-1, accessKeyId: AKID, secretAccessKey: {env: B}}",
    ]

    @Test(arguments: [
        ("hook", 200, "", GatewayVerdict.taken), ("hook", 204, "", .taken), ("hook", 302, "", .refused("status 302")),
        ("hook", 400, "", .refused("status 400")), ("hook", 410, "", .refused("status 410")), ("hook", 429, "", .busy("status 429")),
        ("hook", 500, "", .refused("status 500")), ("hook", 503, "", .busy("status 503")),
        ("twilio", 201, #"{"sid":"SM1","status":"queued"}"#, .taken), ("twilio", 200, "{}", .refused("unexpected status 200")),
        (
            "twilio", 400, #"{"code":21211,"message":"The 'To' number +4930123456 is not valid","status":400}"#,
            .refused("status 400, error 21211")
        ),
        ("twilio", 429, #"{"code":20429}"#, .busy("error 20429")), ("twilio", 502, "<html>", .busy("status 502")),
        ("twilio", 401, "{", .refused("status 401")),
        ("vonage", 200, #"{"messages":[{"status":"0"}]}"#, .taken),
        ("vonage", 200, #"{"messages":[{"status":"0"},{"status":"0"}]}"#, .taken),
        ("vonage", 200, #"{"messages":[{"status":"1"}]}"#, .busy("status 1 of a message")),
        ("vonage", 200, #"{"messages":[{"status":"0"},{"status":"1"}]}"#, .refused("status 1 of a message")),
        ("vonage", 200, #"{"messages":[{"status":"5"}]}"#, .refused("status 5 of a message")),
        ("vonage", 200, #"{"messages":[{"status":"number +4930123456"}]}"#, .refused("an answer without a status")),
        ("vonage", 200, #"{"messages":[]}"#, .refused("an answer without a status")),
        ("vonage", 200, "", .refused("an answer without a status")),
        ("vonage", 503, "", .busy("status 503")), ("vonage", 201, "", .refused("unexpected status 201")),
        ("sns", 200, "<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>", .taken),
        ("sns", 200, "<html></html>", .refused("an answer without MessageId")),
        ("sns", 400, "<Error><Code>Throttling</Code></Error>", .busy("error Throttling")),
        ("sns", 400, "<Error><Code>InvalidParameter</Code></Error>", .refused("status 400, error InvalidParameter")),
        ("sns", 400, "<Error><Code>+49 30 123456</Code></Error>", .refused("status 400")), ("sns", 503, "", .busy("status 503")),
    ])
    func `understands each gateway's answers`(way: String, status: Int, body: String, verdict: GatewayVerdict) throws {
        let gateway = try gateway(try #require(Self.ways[way]))
        #expect(gateway.verdict(on: OutboundResponse(status: status, body: Array(body.utf8))) == verdict)
    }

    @Test(arguments: [
        (OutboundError.notConnected("refused"), true), (.timedOut, false), (.unreachable("reset"), false), (.tooLarge, false),
        (.refusedAddress, false),
    ])
    func `tries again only what cannot have arrived`(error: OutboundError, again: Bool) async throws {
        let upstream = FakeUpstream()
        upstream.fail("https://example.com/sms", error)
        let gateway = try gateway(try #require(Self.ways["hook"]))
        let expected: TextMessageError = again ? .temporary("hook: \(error)") : .permanent("hook: \(error)")
        await #expect(throws: expected) {
            try await gateway.send(message, by: upstream, at: now, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(upstream.requests.allSatisfy { $0.timeout == .seconds(10) && $0.maxBytes == 65536 })
    }

    @Test(arguments: [
        ("hook: {}", "transport.hook.url: is missing"),
        ("hook: {url: 'http://example.com', secrets: {env: A}}", "transport.hook.url: expected an https"),
        ("hook: {url: 'https://example.com', secrets: {env: SHORT}}", "transport.hook.secrets: is not whsec_"),
        ("hook: {url: 'https://example.com', secrets: [{env: A}, {env: SHORT}]}", "transport.hook.secrets[1]: is not whsec_"),
        ("hook: {url: 'https://example.com'}", "transport.hook.secrets"), ("twilio: {secret: {env: B}, from: A}", "accountSid"),
        ("twilio: {accountSid: AC1, secret: {env: B}}", "write from or messagingServiceSid"),
        ("twilio: {accountSid: 'AC/1', secret: {env: B}, from: A}", "expected 1 to 64 letters"),
        ("vonage: {apiKey: k, secret: {env: B}}", "from: is missing"),
        ("vonage: {apiKey: k, secret: {env: B}, from: 'A name too long'}", "from: expected"),
        ("sns: {region: eu-central-1, accessKeyId: k}", "secretAccessKey"),
        ("sns: {region: x, accessKeyId: k, secretAccessKey: {env: B}, maxPrice: '-1'}", "maxPrice"),
        ("log: {}", "is for development mode alone"), ("file: {folder: /tmp}", "is for development mode alone"),
        ("pigeon: {}", "unknown key"),
        ("log: {}\n  vonage: {apiKey: k, secret: {env: B}, from: A}", "several ways"),
    ])
    func `refuses settings that cannot work`(yaml: String, fault: String) throws {
        let faults = try read(yaml).faults
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test func `a secret that is not there is one fault`() throws {
        #expect(try read("hook: {url: 'https://example.com', secrets: {env: NOWHERE}}").faults.count == 1)
    }

    @Test func `writes into the log and into files in development mode`() async throws {
        let folder = try TestFolder([:])
        let (way, faults) = try read("file: {folder: '\(folder.path)/out'}", development: true)
        #expect(faults.isEmpty)
        try await #require(way).send(message, by: FakeUpstream(), at: now, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let written = FileManager.default.contents(atPath: "\(folder.path)/out/6d1f.txt")
        #expect(written.map { String(decoding: $0, as: UTF8.self) } == "+4930123456\nCode: 123456 für Acme\n")
        #expect(try read("log: {}", development: true).way != nil)
        #expect(try read("{}").way == nil)
    }

    @Test func `shows no number, code or secret where it is described`() throws {
        var text = "\(message)"
        dump(message, to: &text)
        let way = try gateway(try #require(Self.ways["twilio"]))
        dump(way, to: &text)
        for secret in ["4930123456", "123456", "token"] { #expect(!text.contains(secret)) }
    }
}
