@testable import Accounts
import Crypto
import Curl
import HTTP
import JSON
import Mail
import Messaging
import ProjectSettings
import Projects
import Runtime
import Synchronization
import TestKit
import Testing
import Text
import Webhooks

@Suite struct TransportTests {
    private let time = TestTime()
    private let metrics = Metrics()

    private func directory(_ change: (inout ProjectSettings) -> Void = { _ in }) -> ProjectDirectory {
        var settings = ProjectSettings(id: "demo", number: 7, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        change(&settings)
        return ProjectDirectory(Projects([Project(settings: settings, providers: [], publicURL: "https://auth.example.com")]))
    }

    private func leased<Payload>(_ payload: Payload, _ project: String = "demo") -> LeasedDelivery<Payload> {
        LeasedDelivery(
            projectID: project, id: Array(0...15), payload: payload, attempt: 1, expires: time.clock.now() + .seconds(3600))
    }

    // MARK: Mails

    private final class FakeMails: MailTransport {
        private let messages = Mutex<[MailMessage]>([])
        private let error: MailError?
        var sent: [MailMessage] { messages.withLock { $0 } }

        init(_ error: MailError? = nil) { self.error = error }

        func send(_ message: MailMessage) async throws(MailError) {
            if let error { throw error }
            messages.withLock { $0.append(message) }
        }
    }

    private func mails(
        _ mails: FakeMails, _ directory: ProjectDirectory, asking hooks: FakeHooks = FakeHooks()
    ) throws -> MailDelivery {
        let from = try #require(Mailbox("Gatehouse <no-reply@example.com>"))
        return MailDelivery(
            by: mails, from: MailDelivery.Sender(from: from, replyTo: nil), hooks: hooks, projects: directory, clock: time.clock,
            metrics: metrics)
    }

    @Test func `a mail has the project's words, the number of its row, and the project's sender or else the server's`() async throws {
        let own = try #require(Mailbox("Demo <demo@example.com>"))
        for (settings, from) in [(directory(), "no-reply@example.com"), (directory { $0.mail.from = own }, "demo@example.com")] {
            let fake = FakeMails()
            try await mails(fake, settings).send(leased(Fixture.mail(to: "ada@example.com")))
            let message = try #require(fake.sent.first)
            #expect(message.from.address == from && message.to.address == "ada@example.com")
            #expect(message.id == "000102030405060708090a0b0c0d0e0f" && message.text.contains("oobCode=sesame"))
        }
    }

    @Test func `a sample goes the way of mails at once, and says what the mail server answers`() async throws {
        let project = try #require(directory { $0.mail.from = Mailbox("Demo <demo@example.com>") }.current.project(id: "demo"))
        let from = MailDelivery.Sender(from: try #require(Mailbox("no-reply@example.com")), replyTo: nil)
        func send(_ mails: FakeMails, to address: String) async -> DeliveryFailure? {
            let sender = SampleMailSender(by: mails, from: from, asksServer: true, clock: time.clock)
            do throws(DeliveryFailure) { try await sender.send(Fixture.mail(to: address), in: project) } catch { return error }
            return nil
        }
        let fake = FakeMails()
        for _ in 1...2 { #expect(await send(fake, to: "ann@example.com") == nil) }
        #expect(fake.sent.map(\.to.address) == ["ann@example.com", "ann@example.com"])
        #expect(fake.sent[0].from.address == "demo@example.com" && fake.sent[0].id != fake.sent[1].id)
        #expect(await send(FakeMails(.temporary("451 later")), to: "ann@example.com") == .temporary("451 later"))
        #expect(await send(FakeMails(.permanent("550 no")), to: "ann@example.com") == .permanent("550 no"))
        #expect(await send(fake, to: "änn@example.com")?.isForGood == true && fake.sent.count == 2)
    }

    @Test(
        arguments: [
            ("ada@example.com", "gone", nil, DeliveryFailure.temporary("the project is not among those of this process")),
            ("ädä@example.com", "demo", nil, .permanent("the address is not of a form that mail servers take")),
            ("ada@example.com", "demo", MailError.temporary("451"), .temporary("451")),
            ("ada@example.com", "demo", .permanent("550"), .permanent("550")),
        ] as [(String, String, MailError?, DeliveryFailure)])
    func `a mail that cannot go out says why, and whether for good`(
        address: String, project: String, error: MailError?, failure: DeliveryFailure
    ) async throws {
        let transport = try mails(FakeMails(error), directory())
        await #expect(throws: failure) { try await transport.send(leased(Fixture.mail(to: address), project)) }
    }

    // MARK: Hooks before mails

    private struct FakeHooks: HookCaller {
        var error: AccountError?

        func answer(
            to question: HookQuestion, by hook: BlockingHook, within time: Duration, in project: ProjectSettings
        ) async throws(AccountError) -> HookAnswer {
            if let error { throw error }
            return HookAnswer()
        }
    }

    @Test(
        arguments: [
            (nil, "ada@example.com", nil), (nil, "", DeliveryFailure.needless),
            (.refusedByHook(HookRefusal(code: 400, status: "X", message: "No.")), "", .permanent("the hook beforeSendEmail refused it")),
            (
                .refusedByHook(HookRefusal(code: 400, status: "X", message: "No.")), "ada@example.com",
                .permanent("the hook beforeSendEmail refused it")
            ),
            (.hookUnavailable(.beforeSendEmail), "ada@example.com", .temporary("the hook beforeSendEmail gave no sound answer")),
        ] as [(AccountError?, String, DeliveryFailure?)])
    func `the hook about mails decides whether one leaves`(error: AccountError?, address: String, failure: DeliveryFailure?) async throws {
        let client = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")
        let directory = directory { $0.hooks[.beforeSendEmail] = BlockingHook(Webhook(url: "https://hooks.example.com", secrets: [])) }
        let project = try #require(directory.current.project(id: "demo")).settings
        var mail = Fixture.mail(to: address)
        mail.hooked = HookedMail(.passwordReset, to: "ada@example.com", in: project, from: client)
        let fake = FakeMails()
        let transport = try mails(fake, directory, asking: FakeHooks(error: error))
        var told: DeliveryFailure?
        do throws(DeliveryFailure) {
            try await transport.send(leased(mail))
        } catch { told = error }
        #expect(told == failure && fake.sent.count == (failure == nil ? 1 : 0))
    }

    // MARK: Messages of log-outs

    private static let address = "https://rp.example.com/logout"

    private func logouts(_ upstream: FakeUpstream, at uri: String? = address) async throws -> LogoutDelivery {
        let keys = SigningKeys()
        let database = try TestDatabase.open(try await TestDatabase.make())
        try await SigningKeyStore(database: database, masterKey: MasterKey(bytes: Array(1...32)), clock: time.clock).load(into: keys)
        let projects = directory { project in
            var client = OAuthClient(id: "site", kind: .confidential, redirectURIs: ["https://rp.example.com/cb"])
            client.backChannelLogoutURI = uri
            project.openIDProvider = ProjectSettings.OpenIDProvider()
            project.openIDProvider?.clients = [client]
        }
        return LogoutDelivery(
            by: upstream, tokens: ClientTokens(clock: time.clock, signingKeys: keys), projects: projects, metrics: metrics)
    }

    @Test func `a logout token goes to the client's address in a form, and is signed at each attempt`() async throws {
        let upstream = FakeUpstream()
        upstream.answer(Self.address, text: "", status: 200)
        let transport = try await logouts(upstream)
        for _ in 1...2 {
            try await transport.send(leased(Fixture.logout("s")))
            time.advance(.seconds(300))
        }
        #expect(upstream.requests.map(\.method) == [.post, .post])
        #expect(upstream.requests.allSatisfy { $0.headers["content-type"] == "application/x-www-form-urlencoded" })
        let claims = try upstream.requests.map { request in
            let token = try #require(Form(request.body ?? [])?["logout_token"])
            return try JSON.parse(try #require(Base64URL.decodeStrict(String(token.asString.split(separator: ".")[1]))))
        }
        #expect(claims.map { $0["aud"] } == ["site", "site"] && claims.map { $0["sid"] } == ["s", "s"])
        let issued = claims.compactMap { $0["iat"]?.integer }
        #expect(issued.count == 2 && issued[1] - issued[0] == 300)
    }

    @Test func `a relying party accepts by 200 or 204, and everything else is tried again`() async throws {
        let upstream = FakeUpstream()
        let transport = try await logouts(upstream)
        for status in [200, 204, 201, 302, 400, 503] {
            upstream.answer(Self.address, text: "", status: status)
            let accepted: DeliveryFailure? = [200, 204].contains(status) ? nil : .temporary("status \(status)")
            #expect(await failure(of: transport) == accepted)
        }
        upstream.fail(Self.address, .timedOut)
        #expect(await failure(of: transport) == .temporary("it did not answer in time"))
    }

    @Test func `a client without an address, which another process may know, is tried again`() async throws {
        let expected = DeliveryFailure.temporary("this process has no address of the client")
        let transport = try await logouts(FakeUpstream(), at: nil)
        #expect(await failure(of: transport) == expected)
        #expect(await failure(of: transport, in: "gone") == expected)
    }

    private func failure(of transport: LogoutDelivery, in project: String = "demo") async -> DeliveryFailure? {
        do { try await transport.send(leased(Fixture.logout("s"), project)) } catch { return error }
        return nil
    }

    // MARK: Metrics

    @Test func `the metrics count what is done with, and of mails also what is tried again`() async throws {
        let (mails, logouts) = (try mails(FakeMails(), directory()), try await logouts(FakeUpstream()))
        for outcome in [DeliveryOutcome.delivered, .deferred("away"), .deferred("away"), .givenUp("unknown")] {
            mails.report(outcome, to: TestDatabase.silent)
            logouts.report(outcome, to: TestDatabase.silent)
        }
        #expect(
            metrics.lines(of: "gatehouse_mails_total") == [
                "gatehouse_mails_total{outcome=\"deferred\"} 2", "gatehouse_mails_total{outcome=\"failed\"} 1",
                "gatehouse_mails_total{outcome=\"sent\"} 1",
            ])
        #expect(
            metrics.lines(of: "gatehouse_logout_tokens_total") == [
                "gatehouse_logout_tokens_total{outcome=\"delivered\"} 1", "gatehouse_logout_tokens_total{outcome=\"failed\"} 1",
            ])
    }
}
