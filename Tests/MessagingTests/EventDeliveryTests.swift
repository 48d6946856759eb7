@testable import Accounts
import Curl
import HTTP
import JSON
import Messaging
import ProjectSettings
import Projects
import Runtime
import TestKit
import Testing
import Text
import Webhooks

/// Events on their way to an endpoint.
@Suite struct EventDeliveryTests {
    private let now = Instant(seconds: 1_800_000_000)
    private let project = ProjectSettings(id: "demo", number: 7, apiKeys: [], authorizedDomains: [], redirectURLs: [])

    private func event(_ type: EventType = .userUpdated) -> OutgoingEvent {
        OutgoingEvent(type, of: "ada", providerID: "google.com", at: Instant(microseconds: 1_700_000_000_123_456), to: "crm")
    }

    private func ada() -> Account {
        var account = Account(id: "ada", at: Instant(seconds: 1_600_000_000))
        account.email = "ada@example.com"
        account.passwordUpdatedAt = Instant(seconds: 1)
        account.customAttributes = #"{"role":"reader"}"#
        account.identities = [LinkedIdentity(providerID: "google.com", subject: "7", email: "ada@gmail.com")]
        account.secondFactors = #"[{"mfaEnrollmentId":"1","totpInfo":{}}]"#
        return account
    }

    @Test func `SEC-62 says what happened and who it was, without a secret`() throws {
        let body = try JSON.parse(EventBody(event(), of: ada(), in: project).bytes)
        #expect(body["type"] == "user.updated" && body["timestamp"] == "2023-11-14T22:13:20.123Z")
        let data = try #require(body["data"])
        #expect(data["project"] == "demo" && data["uid"] == "ada" && data["providerId"] == "google.com")
        #expect(data["sequence"] == 1_700_000_000_123_456)
        #expect(data["user"]?["customClaims"]?["role"] == "reader" && data["user"]?["providerData"]?[1]?["uid"] == "7")
        #expect(data["user"]?["providerData"]?[0]?["providerId"] == "password" && data["user"]?["providerData"]?[2] == nil)
        #expect(data["user"]?["mfaInfo"]?[0]?["totpInfo"] == [:])
        let names = try #require(data["user"]?.object?.map { $0.name.asString })
        #expect(Set(names).isDisjoint(with: ["passwordHash", "salt", "version"]))
    }

    @Test func `of a deleted account it has the id alone`() throws {
        let data = try #require(try JSON.parse(EventBody(event(.userDeleted), of: nil, in: project).bytes)["data"])
        #expect(data["uid"] == "ada" && data["user"] == nil)
    }

    @Test func `stays below 20 kB`() throws {
        var account = ada()
        let factor = #"{"mfaEnrollmentId":"1","displayName":"\#(String(repeating: "x", count: 1000))","phoneInfo":"+15555550100"}"#
        account.secondFactors = "[\(Array(repeating: factor, count: 20).joined(separator: ","))]"
        let bytes = EventBody(event(), of: account, in: project).bytes
        #expect(bytes.count < 20_000)
        #expect(try JSON.parse(bytes)["data"]?["user"]?["mfaInfo"] == nil)
    }

    @Test(arguments: [
        (200, nil, nil), (204, nil, nil), (302, nil, DeliveryFailure.temporary("status 302")), (400, nil, .temporary("status 400")),
        (410, nil, .gone(EventDelivery.gone)), (429, "60", .temporary("status 429", pause: .seconds(60))),
        (503, "999999", .temporary("status 503", pause: .seconds(86_400))),
        (503, "Sat, 28 Nov 2026 12:00:00 GMT", .temporary("status 503")),
        (500, "60", .temporary("status 500")),
    ])
    func `understands each answer`(status: Int, retryAfter: String?, failure: DeliveryFailure?) async throws {
        let secret = try #require(WebhookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        let endpoint = EventEndpoint(id: "crm", webhook: Webhook(url: "https://crm.example.com", secrets: [secret]), types: [.userCreated])
        let upstream = FakeUpstream()
        upstream.answer("https://crm.example.com") { _ in
            OutboundResponse(status: status, headers: retryAfter.map { ["retry-after": $0] } ?? [:])
        }
        var told: DeliveryFailure?
        do throws(DeliveryFailure) { try await EventDelivery.send([0x7B, 0x7D], id: "id", to: endpoint, by: upstream, at: now) } catch {
            told = error
        }
        #expect(told == failure)
        #expect(upstream.requests.allSatisfy { $0.timeout == .seconds(15) && $0.maxBytes == 65_536 })
    }
}
