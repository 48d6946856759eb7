import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import Webhooks

@testable import Accounts

/// What endpoints are told of, and when it stands in the database.
@Suite struct EventFanOutTests {
    private let client = Session.ClientInfo(userAgent: "test", address: "203.0.113.9")

    private func fixture(_ types: Set<EventType>, more: [String: Set<EventType>] = [:]) async throws -> Fixture {
        var fixture = try await Fixture()
        try await fixture.loadSigningKeys()
        fixture.project.events = try more.merging(["crm": types]) { $1 }.sorted { $0.key < $1.key }.map { id, types in
            let secret = try #require(WebhookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
            return EventEndpoint(id: id, webhook: Webhook(url: "https://\(id).example.com", secrets: [secret]), types: types)
        }
        return fixture
    }

    /// The types that wait for each endpoint, after the worker has looked.
    private func told(_ fixture: Fixture) async throws -> [String: [String]] {
        _ = try await EventFanOut(fixture.deliveries).run(in: fixture.project)
        let events = try await RecordedEvents(fixture.deliveries).list(.init(), limit: 100, in: fixture.project)
        return Dictionary(grouping: events.reversed().compactMap(\.event), by: \.endpoint).mapValues { $0.map(\.type.rawValue).sorted() }
    }

    @Test func `tells each endpoint of what it wants to know, and once`() async throws {
        let fixture = try await fixture([.userCreated, .userPasswordChanged], more: ["all": Set(EventType.allCases)])
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let all = ["user.created", "user.signed_in"]
        #expect(try await told(fixture) == ["crm": ["user.created"], "all": all])
        #expect(try await told(fixture) == ["crm": ["user.created"], "all": all])
        var change = AdministratorChange()
        change.disabled = true
        change.own.displayName = .set("Ada")
        _ = try await fixture.accounts.administration.accounts.update(account.id, change, by: fixture.operator)
        #expect(try await told(fixture)["crm"] == ["user.created"])
        #expect(try await told(fixture)["all"] == (all + ["user.disabled", "user.updated"]).sorted())
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        #expect(try await told(fixture)["all"]?.contains("user.deleted") == true)
    }

    @Test func `an act that is undone, and a project without endpoints, leave nothing`() async throws {
        let quiet = try await Fixture()
        try await quiet.loadSigningKeys()
        _ = try await quiet.signUp("ada@example.com")
        #expect(try await quiet.database.query("SELECT 1 FROM audit_events WHERE recipients IS NOT NULL").isEmpty)
        #expect(try await quiet.database.query("SELECT 1 FROM deliveries WHERE kind = 'event'").isEmpty)
        let fixture = try await fixture([.userEmailChanged])
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        _ = try await fixture.signUp("bob@example.com")
        var change = AdministratorChange()
        change.own.email = "bob@example.com"
        let taken = change
        await #expect(throws: AccountError.self) {
            try await fixture.accounts.administration.accounts.update(account.id, taken, by: fixture.operator)
        }
        #expect(try await told(fixture).isEmpty)
    }

    @Test func `notes the endpoints that are gone`() async throws {
        let fixture = try await fixture([])
        let stopped = StoppedEndpoints(fixture.deliveries)
        for _ in 0..<2 { try await stopped.add("crm", in: fixture.project.storageID) }
        #expect(try await stopped.list(in: fixture.project) == ["crm"])
        #expect(try await stopped.remove("crm", in: fixture.project))
        #expect(try await !stopped.remove("crm", in: fixture.project))
    }

    @Test func `tells nothing old, and leaves what it does not know to a newer version`() async throws {
        let fixture = try await fixture([.userCreated])
        _ = try await fixture.signUp("ada@example.com")
        _ = try await fixture.database.write("UPDATE audit_events SET action = 'account.renamed'")
        #expect(try await told(fixture).isEmpty)
        #expect(try await fixture.database.query("SELECT 1 FROM audit_events WHERE recipients = ARRAY['crm']").count == 1)
        _ = try await fixture.database.write("UPDATE audit_events SET action = 'account.created'")
        fixture.time.advance(DeliveryKind.event.patience)
        #expect(try await told(fixture).isEmpty)
        #expect(try await fixture.database.query("SELECT 1 FROM audit_events WHERE recipients IS NOT NULL").isEmpty)
    }

    @Test func `waits longer after each failure, gives up after three days, and is kept to be sent again`() async throws {
        let fixture = try await fixture([.userCreated])
        _ = try await fixture.signUp("ada@example.com")
        _ = try await told(fixture)
        let deliveries = fixture.deliveries
        var waits: [Int64] = []
        var fate: Deliveries.Fate?
        while fate != .givenUp {
            let due = try #require(try await deliveries.claim(OutgoingEvent.self, 1, in: fixture.project.storageID).found.first)
            fate = try await deliveries.failed(due, forGood: false)
            guard case .retry(let next) = fate else { break }
            waits.append((next - fixture.time.clock.now()).wholeSeconds)
            fixture.time.advance(next - fixture.time.clock.now())
        }
        let usual: [Int64] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
        #expect(fate == .givenUp && waits.count == usual.count)
        #expect(zip(waits, usual).allSatisfy { ($1 * 4 / 5...$1 * 6 / 5).contains($0) }, "\(waits)")
        let events = RecordedEvents(deliveries)
        var failed = RecordedEvents.Filter()
        failed.outcome = .failed
        let kept = try await events.list(failed, limit: 10, in: fixture.project)
        #expect(kept.count == 1 && kept[0].attempts == 10 && kept[0].dueAt == nil)
        #expect(try await events.replay(failed, in: fixture.project) == 1)
        let again = try #require(try await deliveries.claim(OutgoingEvent.self, 1, in: fixture.project.storageID).found.first)
        #expect(again.id == kept[0].id && again.attempt == 1)
        _ = try await fixture.signUp("bob@example.com")
        _ = try await told(fixture)
        let asked = try await deliveries.failed(again, forGood: false, pause: .seconds(60))
        #expect(asked == .retry(fixture.time.clock.now() + .seconds(60)), "the endpoint's own wish is longer")
        let busy = try await deliveries.claim(OutgoingEvent.self, 10, in: fixture.project.storageID).found
        #expect(busy.isEmpty, "it holds for all events of the endpoint")
        fixture.time.advance(.seconds(60))
        let both = try await deliveries.claim(OutgoingEvent.self, 10, in: fixture.project.storageID).found
        #expect(both.count == 2)
        #expect(try await events.replay(.init(), in: fixture.project) == 0, "they are just being tried")
        for due in both { try await deliveries.done(due) }
        #expect(try await events.list(.init(), limit: 10, in: fixture.project).map(\.outcome) == [.delivered, .delivered])
    }

    @Test func `SEC-62 an app that shows a used refresh token is told of`() async throws {
        let fixture = try await fixture([.sessionReuseDetected])
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        var tokens = [fixture.sessions.refreshToken(for: session, in: fixture.project)]
        for _ in 0..<3 {
            let (_, next) = try await fixture.sessions.refresh(try #require(tokens.last), in: fixture.project)
            tokens.append(fixture.sessions.refreshToken(for: next, in: fixture.project))
        }
        await #expect(throws: AccountError.self) { try await fixture.sessions.refresh(tokens[0], in: fixture.project) }
        #expect(try await told(fixture) == ["crm": ["session.reuse_detected"]])
        let events = try await RecordedEvents(fixture.deliveries).list(.init(), limit: 1, in: fixture.project)
        #expect(events.first?.event?.accountID == account.id)
    }

    @Test(arguments: AuditEvent.Action.allCases)
    func `each act that changes an account is an event, and none that concerns the server`(action: AuditEvent.Action) {
        let silent: Set<AuditEvent.Action> = [
            .passkeyRenamed, .passkeySuspected, .emailLinkAdded, .emailLinkRemoved, .secondFactorRefused, .secondFactorWarningMailed,
            .rememberedDevicesForgotten, .recoveryCodesMade, .recoveryCodeUsed, .phoneNumberUsedAgain, .accountsImported, .accountImported,
            .linkMade, .linkMailed, .sessionBridged, .sessionCookieCreated, .providerTokensGiven, .limitsForgotten, .accountErased,
            .databaseRestored, .serviceAccountKeyMade,
            .serviceAccountKeyRevoked, .serviceAccountRightsSet, .signingKeyRotated, .masterKeyResealed,
            .tenantCreated, .tenantChanged, .tenantDeleted, .consoleOpened, .consoleSignedIn, .operatorBound, .operatorUnbound,
            .operatorPasskeyAdded, .operatorPasskeyRemoved, .operatorPasskeySuspected, .deliveriesRepeated,
            .sampleMailSent, .providerChecked, .auditExported,
            .accountExported,
        ]
        #expect((EventType(telling: action) == nil) == silent.contains(action))
    }
}
