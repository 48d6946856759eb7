@testable import Accounts
import Config
import Curl
import JSON
import Logging
import Messaging
import Postgres
import ProjectSettings
import Projects
import Runtime
import TestKit
import Testing
import Text
import TextMessages

/// Text messages on their way to a gateway.
@Suite struct TextMessageDeliveryTests {
    private static let page = "https://sms.example.com/send"
    private let time = TestTime()
    private let metrics = Metrics()

    /// A transport of the kit, read as a project's file has it.
    private static func hook() throws -> any TextTransport {
        let folder = try TestFolder(["p.yaml": "transport: {hook: {url: '\(page)', secrets: {env: S}}}\n"])
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let file = ConfigFile.read("\(folder.path)/p.yaml", environment: ["S": secret], faults: Faults())
        return try #require(TextTransports.read(file.section("transport"), development: false))
    }

    private func directory(_ change: (inout ProjectSettings) -> Void = { _ in }) throws -> ProjectDirectory {
        var settings = ProjectSettings(
            id: "demo", number: 7, apiKeys: ["key"], authorizedDomains: ["*.example.com", "localhost", "app.example.com"], redirectURLs: [])
        settings.phone.transport = try Self.hook()
        change(&settings)
        return ProjectDirectory(Projects([Project(settings: settings, providers: [], publicURL: "https://auth.example.com")]))
    }

    private func due(_ change: (inout OutgoingTextMessage) -> Void = { _ in }) -> LeasedDelivery<OutgoingTextMessage> {
        var message = OutgoingTextMessage(
            purpose: "signIn", to: "+4930123456", region: "DE", language: "de", code: "123456", appSignatureHash: nil, session: nil)
        change(&message)
        return LeasedDelivery(
            projectID: "demo", id: Array(0...15), payload: message, attempt: 1, expires: time.clock.now() + .seconds(300))
    }

    private func transport(_ upstream: FakeUpstream, _ directory: ProjectDirectory) -> TextMessageDelivery {
        TextMessageDelivery(by: upstream, projects: directory, clock: time.clock, metrics: metrics, log: TestDatabase.silent)
    }

    private func body(_ upstream: FakeUpstream) throws -> JSON {
        let bytes = try #require(upstream.requests.first?.body)
        return try JSON.parse(bytes)
    }

    @Test func `a message has the project's words, the number of its row, and the page that the code is for`() async throws {
        let upstream = FakeUpstream()
        upstream.answer(Self.page, [:])
        try await transport(upstream, try directory()).send(due())
        let body = try body(upstream)
        #expect(body["id"]?.string == "000102030405060708090a0b0c0d0e0f")
        #expect(body["text"]?.string == "123456 ist Ihr Code für demo. Geben Sie ihn nicht weiter.\n\n@app.example.com #123456")
        #expect(body["language"]?.string == "de" && body["region"]?.string == "DE" && body["purpose"]?.string == "signIn")
        #expect(metrics.text().contains(#"gatehouse_sms_total{transport="hook",result="sent"} 1"#))
    }

    @Test func `a message for an Android app ends with the letters that name the app`() async throws {
        let upstream = FakeUpstream()
        upstream.answer(Self.page, [:])
        let long = String(repeating: "Acme ", count: 60)
        try await transport(upstream, try directory { $0.branding.name = long }).send(
            due {
                $0.appSignatureHash = "FA+9qCX9VSu"
                $0.language = "en"
            })
        let text = try #require(try body(upstream)["text"]?.string)
        #expect(
            text.utf8.count <= 140 && text.asString.hasSuffix("\nFA+9qCX9VSu") && text.asString.hasPrefix("123456 is your code for Acme"))
    }

    @Test func `a message has no link, also where the project's name is one`() async throws {
        let upstream = FakeUpstream()
        upstream.answer(Self.page, [:])
        let named = try directory { $0.branding.name = "Acme\nhttps://evil.example see evil.example/x a@b.example now" }
        try await transport(upstream, named).send(due { $0.language = "en" })
        let text = try #require(try body(upstream)["text"]?.string)
        #expect(text == "123456 is your code for Acme see now. Do not share it with anyone.\n\n@app.example.com #123456")
    }

    @Test(
        arguments: [
            (OutboundError.notConnected("refused"), DeliveryFailure.temporary("hook: refused"), "deferred"),
            (.timedOut, .permanent("hook: it did not answer in time"), "failed"),
        ] as [(OutboundError, DeliveryFailure, String)])
    func `a message that may have arrived is not sent again`(error: OutboundError, failure: DeliveryFailure, result: String) async throws {
        let upstream = FakeUpstream()
        upstream.fail(Self.page, error)
        let delivery = transport(upstream, try directory())
        await #expect(throws: failure) { try await delivery.send(due()) }
        #expect(metrics.text().contains(#"gatehouse_sms_total{transport="hook",result="\#(result)"} 1"#))
    }

    @Test func `a message waits for a process that knows its project and a way to send it`() async throws {
        let silent = transport(FakeUpstream(), try directory { $0.phone.transport = nil })
        let failure = DeliveryFailure.temporary("this process has no way to send messages of the project")
        await #expect(throws: failure) { try await silent.send(due()) }
        #expect(silent.metadata(due().payload).map(\.value).allSatisfy { !"\($0)".contains("123456") })
    }

    @Test func `SEC-30 a message that a process was sending as it ended is not sent by another one`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let deliveries = Deliveries(database: database, masterKey: MasterKey(bytes: Array(1...32)), clock: time.clock)
        let project = ProjectSettings(id: "demo", number: 7, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        _ = try await database.write(deliveries.insert(due().payload, in: project))
        let first = try await deliveries.claim(OutgoingTextMessage.self, 8, in: "demo")
        #expect(first.found.count == 1)
        time.advance(.seconds(120))
        #expect(try await deliveries.claim(OutgoingTextMessage.self, 8, in: "demo").found.isEmpty)
        // One that the gateway has not taken is due again.
        let leased = try #require(first.found.first)
        #expect(try await deliveries.failed(leased, forGood: false) == .retry(time.clock.now() + .seconds(2)))
        time.advance(.seconds(2))
        #expect(try await deliveries.claim(OutgoingTextMessage.self, 8, in: "demo").found.count == 1)
    }
}
