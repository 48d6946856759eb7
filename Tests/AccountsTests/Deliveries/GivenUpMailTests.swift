@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// What is kept of mails that were given up, and for how long.
@Suite struct GivenUpMailTests {
    private let mail = OutgoingMail(
        .resetPassword, to: "ada@example.com", language: "de", link: "https://auth.example.com/__/auth/action?oobCode=sesame",
        displayName: "Ada")

    private func outbox(_ fixture: Fixture) -> Outbox {
        Outbox(Deliveries(database: fixture.database, masterKey: fixture.masterKey, clock: fixture.time.clock))
    }

    /// Stores the mail, leases it, and gives it up.
    private func giveUp(_ fixture: Fixture, because reason: String?) async throws -> LeasedDelivery<OutgoingMail> {
        let outbox = outbox(fixture)
        let expires = fixture.time.clock.now() + .seconds(3600)
        _ = try await fixture.database.write(outbox.enqueue(mail, until: expires, for: [1, 2, 3], in: fixture.project))
        let due = try #require(try await outbox.claim(1, in: "demo").mails.first)
        #expect(try await outbox.deliveries.failed(due, forGood: true, because: reason) == .givenUp)
        return due
    }

    private func rows(_ fixture: Fixture) async throws -> Int64 {
        try await fixture.database.query("SELECT count(*) FROM deliveries")[0].value()
    }

    @Test func `says how many were given up and why, the last one first`() async throws {
        let fixture = try await Fixture()
        let start = fixture.time.clock.now()
        let first = try await giveUp(fixture, because: "550 no such mailbox")
        fixture.time.advance(.seconds(60))
        let second = try await giveUp(fixture, because: "it expired before it could be delivered")
        let givenUp = outbox(fixture).givenUp
        #expect(try await givenUp.count(in: "demo") == 2)
        #expect(try await givenUp.count(in: "other") == 0)
        let mails = try await givenUp.list(newest: 10, in: "demo")
        #expect(mails.map(\.id) == [second.id, first.id] && mails.map(\.kind) == [.resetPassword, .resetPassword])
        #expect(mails.map(\.reason) == ["it expired before it could be delivered", "550 no such mailbox"])
        #expect(mails.map(\.givenUpAt) == [start + .seconds(60), start] && mails.map(\.attempts) == [1, 1])
        #expect(try await givenUp.list(newest: 1, in: "demo").map(\.id) == [second.id])
    }

    @Test func `keeps neither the person nor the link, and nothing that could be sent`() async throws {
        let fixture = try await Fixture()
        let id = try await giveUp(fixture, because: "550").id
        let outbox = outbox(fixture)
        let row = try #require(try await fixture.database.query("SELECT payload, purpose IS NULL FROM deliveries").first)
        var reader = row.reader()
        let sealed: [UInt8] = try reader.next()
        #expect(try reader.next(as: Bool.self))
        let kept: OutgoingMail = try #require(outbox.deliveries.payload(sealed, "demo", id))
        #expect(kept.to.isEmpty && kept.link.isEmpty && kept.displayName == nil && kept.isDecoy)
        for time in [Duration.zero, .seconds(86400)] {
            fixture.time.advance(time)
            #expect(try await outbox.claim(10, in: "demo").mails.isEmpty)
            #expect(try await outbox.waiting.depth(in: ["demo"]).count == 0)
            #expect(try await outbox.waiting.retryNow(in: ["demo"]).waiting == 0)
            #expect(try await outbox.deliveries.firstDue(of: [.mail], in: "demo").isEmpty)
        }
        #expect(try await fixture.outbox.recent(in: fixture.project).isEmpty)
    }

    @Test func `forgets a mail two weeks after it was given up, and one of which nothing is to be told at once`() async throws {
        let fixture = try await Fixture()
        _ = try await giveUp(fixture, because: nil)
        #expect(try await rows(fixture) == 0)
        _ = try await giveUp(fixture, because: "550")
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        fixture.time.advance(GivenUpMails.lifetime - .seconds(1))
        try await cleanup.run()
        #expect(try await outbox(fixture).givenUp.count(in: "demo") == 1)
        fixture.time.advance(.seconds(1))
        #expect(try await outbox(fixture).givenUp.count(in: "demo") == 0)
        fixture.time.advance(.seconds(3601))
        try await cleanup.run()
        #expect(try await rows(fixture) == 0)
    }

    @Test func `an attempt that reports late gives nothing up`() async throws {
        let fixture = try await Fixture()
        let due = try await giveUp(fixture, because: "550")
        let late = LeasedDelivery(projectID: "demo", id: due.id, payload: mail, attempt: 2, expires: due.expires)
        #expect(try await outbox(fixture).deliveries.failed(late, forGood: true, because: "another reason") == nil)
        #expect(try await outbox(fixture).givenUp.list(newest: 10, in: "demo").map(\.reason) == ["550"])
    }
}
