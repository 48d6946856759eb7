@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct OutboxTests {
    private let mail = OutgoingMail(
        .resetPassword, to: "ada@example.com", language: "de", link: "https://auth.example.com/__/auth/action?oobCode=sesame",
        displayName: "Ada")

    private func outbox(_ fixture: Fixture, keepsSent: Bool = false) -> Outbox {
        Outbox(
            Deliveries(
                database: fixture.database, masterKey: fixture.masterKey, clock: fixture.time.clock, keepsDelivered: keepsSent))
    }

    @discardableResult
    private func enqueue(_ mails: [OutgoingMail], _ fixture: Fixture, lifetime: Duration = .seconds(3600)) async throws -> Outbox {
        let outbox = outbox(fixture)
        let expires = fixture.time.clock.now() + lifetime
        _ = try await fixture.database.write(all: mails.map { outbox.enqueue($0, until: expires, for: [], in: fixture.project) })
        return outbox
    }

    private func rows(_ fixture: Fixture) async throws -> Int64 {
        try await fixture.database.query("SELECT count(*) FROM deliveries")[0].value()
    }

    @Test func `gives a committed mail out once and forgets it when it is done`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture)
        let due = try #require(try await outbox.claim(10, in: "demo").mails.first)
        #expect(due.payload == mail)
        #expect(due.projectID == "demo")
        #expect(due.attempt == 1)
        #expect(try await outbox.claim(10, in: "demo").mails.isEmpty)
        try await outbox.deliveries.done(due)
        #expect(try await rows(fixture) == 0)
    }

    @Test(arguments: [false, true]) func `a rule wakes the delivery worker where it wrote a mail`(writesMail: Bool) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        var change = AccountChange()
        if writesMail { change.removed = [.email, .password] } else { change.displayName = .set("Ada") }
        _ = try await fixture.update(idToken, change)
        #expect(try await fixture.stored(account.id)?.email == (writesMail ? nil : "ada@example.com"))
        #expect(try await rows(fixture) == (writesMail ? 1 : 0))
        fixture.deliveries.wakeSignal.finish()
        var wakes = 0
        for await _ in fixture.deliveries.wakeSignal.signals { wakes += 1 }
        #expect(wakes == (writesMail ? 1 : 0))
    }

    @Test func `never gives one mail to two of many claimers`() async throws {
        let fixture = try await Fixture()
        let mails = (0..<60).map { OutgoingMail(.verifyEmail, to: "p\($0)@example.com", language: "en", link: "https://a.example/\($0)") }
        let outbox = try await enqueue(mails, fixture)
        let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<20 { group.addTask { try await outbox.claim(5, in: "demo").mails.map(\.payload.to) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(claimed).count == claimed.count)
        var rest: [String] = []
        while case let more = try await outbox.claim(5, in: "demo").mails, !more.isEmpty { rest += more.map(\.payload.to) }
        #expect((claimed + rest).sorted() == mails.map(\.to).sorted())
    }

    @Test func `gives a mail out again under the same id once a claimer has died with it`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture)
        let first = try #require(try await outbox.claim(1, in: "demo").mails.first)
        fixture.time.advance(Deliveries.lease - .seconds(1))
        #expect(try await outbox.claim(1, in: "demo").mails.isEmpty)
        fixture.time.advance(.seconds(1))
        let second = try #require(try await outbox.claim(1, in: "demo").mails.first)
        #expect(second.id == first.id)
        #expect(second.attempt == 2)
        // The first process is alive after all and reports late: the lease of the second one stays valid.
        for forGood in [false, true] { #expect(try await outbox.deliveries.failed(first, forGood: forGood) == nil) }
        #expect(try await rows(fixture) == 1)
        fixture.time.advance(.seconds(30))
        #expect(try await outbox.claim(1, in: "demo").mails.isEmpty)
    }

    @Test func `is tried every minute or two until the link has expired`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture, lifetime: .seconds(600))
        var pauses: [Int64] = []
        while true {
            let due = try #require(try await outbox.claim(1, in: "demo").mails.first)
            let now = fixture.time.clock.now()
            guard case .retry(let next) = try await outbox.deliveries.failed(due, forGood: false) else { break }
            pauses.append((next - now).wholeSeconds)
            fixture.time.advance(next - now - .seconds(1))
            #expect(try await outbox.claim(1, in: "demo").mails.isEmpty)
            fixture.time.advance(.seconds(1))
        }
        #expect(pauses == [10, 30, 60, 90, 90, 90, 90, 90])
        #expect(try await rows(fixture) == 0)
    }

    @Test func `tells how many mails wait and since when, without decoys`() async throws {
        let fixture = try await Fixture()
        let outbox = outbox(fixture)
        #expect(try await outbox.waiting.depth(in: ["demo"]) == (0, nil))
        let start = fixture.time.clock.now()
        try await enqueue([mail], fixture)
        _ = try await fixture.database.write(outbox.enqueueDecoy(of: mail, until: start + .seconds(3600), for: [], in: fixture.project))
        fixture.time.advance(.seconds(60))
        try await enqueue([mail], fixture)
        #expect(try await outbox.waiting.depth(in: ["demo"]) == (2, start))
        let mails = try await outbox.waiting.list(limit: 10, in: ["demo"])
        #expect(mails.map(\.kind) == [.resetPassword, .resetPassword])
        #expect(mails.map(\.createdAt) == [start, start + .seconds(60)])
        fixture.time.advance(.seconds(3541))
        #expect(try await outbox.waiting.depth(in: ["demo"]).count == 1)
    }

    @Test func `tries at once what waits for longer, and nothing that may be on its way`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture)
        for pause in DeliveryKind.mail.pauses.dropLast() {
            _ = try await outbox.deliveries.failed(try #require(try await outbox.claim(1, in: "demo").mails.first), forGood: false)
            fixture.time.advance(pause)
        }
        let due = try #require(try await outbox.claim(1, in: "demo").mails.first)
        #expect(try await outbox.waiting.retryNow(in: ["demo", "other"]).hastened == 0)
        _ = try await outbox.deliveries.failed(due, forGood: false)
        #expect(try await outbox.waiting.retryNow(in: ["other"]).waiting == 0)
        #expect(try await outbox.claim(1, in: "demo").mails.isEmpty)
        #expect(try await outbox.waiting.retryNow(in: ["demo"]).hastened == 1)
        #expect(try await outbox.claim(1, in: "demo").mails.map(\.payload) == [mail])
    }

    @Test func `a mail expires after a day whatever its link's life, and is given out to be given up`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture, lifetime: .seconds(30 * 86400))
        let end = fixture.time.clock.now() + .seconds(86400)
        fixture.time.advance(.seconds(86401))
        #expect(try await outbox.deliveries.firstDue(of: [.mail], in: "demo").count == 1)
        let due = try #require(try await outbox.claim(1, in: "demo").mails.first)
        #expect(due.expires == end)
        #expect(try await outbox.deliveries.failed(due, forGood: false) == .givenUp)
    }

    @Test func `gives up at once what no attempt can deliver`() async throws {
        let fixture = try await Fixture()
        let outbox = try await enqueue([mail], fixture)
        let due = try #require(try await outbox.claim(1, in: "demo").mails.first)
        #expect(try await outbox.deliveries.failed(due, forGood: true) == .givenUp)
        #expect(try await rows(fixture) == 0)
    }

    @Test func `SEC-15 a decoy costs the same row and never goes out`() async throws {
        let fixture = try await Fixture()
        let outbox = outbox(fixture, keepsSent: true)
        let expires = fixture.time.clock.now() + .seconds(3600)
        let (real, decoy) = (
            outbox.enqueue(mail, until: expires, for: [], in: fixture.project),
            outbox.enqueueDecoy(of: mail, until: expires, for: [], in: fixture.project)
        )
        #expect(real.text == decoy.text)
        _ = try await fixture.database.write(all: [real, decoy])
        var row = try await fixture.database.query("SELECT count(DISTINCT length(payload)), count(*) FROM deliveries")[0].reader()
        let (sizes, mails): (Int64, Int64) = (try row.next(), try row.next())
        #expect(sizes == 1 && mails == 2)
        #expect(try await outbox.claim(10, in: "demo").mails.count == 1)
        #expect(try await outbox.recent(in: fixture.project) == [mail])
        fixture.time.advance(.seconds(2 * 3600 + 1))
        try await Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400))).run()
        #expect(try await rows(fixture) == 0)
    }

    @Test func `SEC-21 neither the table nor a description of a mail shows the link or the address`() async throws {
        let fixture = try await Fixture()
        try await enqueue([mail], fixture)
        var row = try await fixture.database.query("SELECT row_to_json(deliveries)::text, payload FROM deliveries")[0].reader()
        let (text, bytes): (String, [UInt8]) = (try row.next(), try row.next())
        let payload = String(decoding: bytes, as: UTF8.self)
        var dumped = ""
        dump(mail, to: &dumped)
        for text in [text, payload, "\(mail)", String(reflecting: mail), dumped] {
            #expect(!text.contains("sesame") && !text.contains("ada@"))
        }
    }

    @Test func `leaves what another master key sealed to the process that has the key`() async throws {
        let fixture = try await Fixture()
        try await enqueue([mail], fixture)
        let other = Outbox(Deliveries(database: fixture.database, masterKey: MasterKey(bytes: Array(2...33)), clock: fixture.time.clock))
        let (mails, unreadable) = try await other.claim(10, in: "demo")
        #expect(mails.isEmpty)
        #expect(unreadable == 1)
        #expect(try await other.claim(10, in: "demo").unreadable == 0)
        fixture.time.advance(Deliveries.lease)
        #expect(try await outbox(fixture).claim(10, in: "demo").mails.map(\.payload) == [mail])
    }

    @Test func `keeps sent mails to look at only where it was told to`() async throws {
        let fixture = try await Fixture()
        let kept = outbox(fixture, keepsSent: true)
        let outbox = try await enqueue([mail], fixture)
        #expect(try await outbox.recent(in: fixture.project).isEmpty)
        try await kept.deliveries.done(try #require(try await kept.claim(1, in: "demo").mails.first))
        #expect(try await kept.recent(in: fixture.project) == [mail])
        fixture.time.advance(Deliveries.lease)
        #expect(try await kept.claim(1, in: "demo").mails.isEmpty)
    }

    @Test func `an undone transaction sends nothing`() async throws {
        let fixture = try await Fixture()
        let outbox = outbox(fixture)
        let statement = outbox.enqueue(mail, until: fixture.time.clock.now() + .seconds(60), for: [], in: fixture.project)
        await #expect(throws: PostgresError.self) { try await fixture.database.write(all: [statement, "SELECT 1 / 0"]) }
        #expect(try await outbox.claim(1, in: "demo").mails.isEmpty)
    }
}
