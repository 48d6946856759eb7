@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Mails with made-up values, and what is recorded of them.
@Suite struct SampleMailTests {
    private let act = OperatorAct(
        by: Operator(name: "ann", role: .support), because: "a look", from: Session.ClientInfo(userAgent: "test", address: "203.0.113.7"))

    @Test(arguments: OutgoingMail.Kind.allCases) func `every kind has what its text needs, and no code that works`(
        kind: OutgoingMail.Kind
    ) async throws {
        let fixture = try await Fixture.forCodes()
        let mail = fixture.accounts.operators.sampleMails.sample(kind, language: "de", provider: "google.com", in: fixture.project)
        #expect(mail.kind == kind && mail.to == "ada@example.com" && mail.language == "de" && mail.happenedAt != nil)
        #expect(mail.link.isEmpty == (kind.code == nil))
        if let code = kind.code { #expect(mail.link.contains("mode=\(code.rawValue)&oobCode=this-is-a-sample")) }
        #expect((mail.oneTimeCode == nil) == ![.emailCode, .secondFactorCode].contains(kind))
        #expect(try await fixture.database.query("SELECT 1 FROM action_codes").isEmpty)
        #expect(try await fixture.database.query("SELECT 1 FROM deliveries").isEmpty)
    }

    @Test func `sending one is counted by its mailbox, and recorded with the operator, without the address`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.limits[.sendSampleMail, .mailbox] = Rate(2, per: .seconds(3600))
        let samples = fixture.accounts.operators.sampleMails
        let mail = samples.sample(.signIn, to: "ann@example.com", language: "en", provider: nil, in: fixture.project)
        for _ in 0..<2 { try await samples.begin(mail, in: fixture.project, by: act) }
        await #expect(throws: AccountError.self) { try await samples.begin(mail, in: fixture.project, by: act) }
        let events = try await fixture.accounts.audit.list(limit: 10, in: "demo").filter { $0.action == "sampleMail.sent" }
        #expect(events.count == 2 && events.allSatisfy { $0.actorKind == "operator" && $0.actor == "ann" && $0.accountID == nil })
        let details = events.first?.details ?? ""
        #expect(details.contains("signIn") && details.contains("a look") && !details.contains("ann@"))
    }
}
