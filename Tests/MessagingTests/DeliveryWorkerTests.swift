import Accounts
import Messaging
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@Suite struct DeliveryWorkerTests {
    /// What the transport says, what the worker reports of it, and the rows afterwards.
    @Test(
        arguments: [
            (nil, DeliveryOutcome.delivered, []),
            (DeliveryFailure.temporary("away"), .deferred("away"), [[1, 10]]),
            (.permanent("unknown"), .givenUp("unknown"), []),
        ] as [(DeliveryFailure?, DeliveryOutcome, [[Int]])])
    func `reports what became of an attempt, and records it`(
        failure: DeliveryFailure?, outcome: DeliveryOutcome, rows: [[Int]]
    ) async throws {
        let transport = FakeTransport { _ throws(DeliveryFailure) in if let failure { throw failure } }
        let fixture = try await Fixture(transport)
        try await fixture.enqueue(["ada@example.com"])
        try await fixture.run {
            let left = try await fixture.rows()
            return transport.outcomes == [outcome] && left == rows
        }
        #expect(transport.asked.map(\.payload) == [Fixture.mail(to: "ada@example.com")])
        #expect(transport.asked.map(\.attempt) == [1])
        let kept = try await Outbox(fixture.deliveries).givenUp.list(newest: 10, in: "demo").map(\.reason)
        #expect(kept == (failure?.isForGood == true ? ["unknown"] : []))
    }

    @Test func `keeps nothing of a mail that was not to be sent`() async throws {
        let fixture = try await Fixture(FakeTransport { _ throws(DeliveryFailure) in throw .needless })
        try await fixture.enqueue(["ada@example.com"])
        try await fixture.run { try await fixture.database.query("SELECT 1 FROM deliveries").isEmpty }
    }

    @Test func `begins nothing once it is told to stop, although it was woken before`() async throws {
        let transport = FakeTransport()
        let fixture = try await Fixture(transport)
        try await fixture.enqueue(["ada@example.com"])
        fixture.wakeSignal.send(for: DeliveryQueue(projectID: fixture.project.storageID, kind: .mail))
        fixture.wakeSignal.finish()
        await fixture.worker.run()
        #expect(transport.asked.isEmpty)
        #expect(try await fixture.rows() == [[0, 0]])
    }

    @Test func `finds by itself what nobody woke it for, in every known project`() async throws {
        let transport = FakeTransport()
        let fixture = try await Fixture(transport)
        _ = try await KnownProjects(database: fixture.database).list(remembering: ["gone"])
        var gone = fixture.project
        gone.id = "gone"
        gone.storageID = "gone"
        let expires = fixture.time.clock.now() + .seconds(3600)
        _ = try await fixture.database.write(
            Outbox(fixture.deliveries).enqueue(Fixture.mail(to: "ada@example.com"), until: expires, for: [], in: gone))
        try await fixture.run { transport.outcomes.count == 1 }
        #expect(transport.asked.map(\.projectID) == ["gone"])
    }

    @Test func `delivers all that waits, and never more than the width of the kind at once`() async throws {
        let width = Gauge()
        let transport = FakeTransport { _ in await width.pass() }
        let fixture = try await Fixture(transport)
        let addresses = (0..<20).map { "p\($0)@example.com" }
        try await fixture.enqueue(addresses)
        try await fixture.run { transport.outcomes.count == addresses.count }
        #expect(Set(transport.asked.map(\.payload.to)) == Set(addresses))
        #expect(await width.most == FakeTransport.width)
    }

    @Test func `a server of one kind that does not answer keeps back no other kind`() async throws {
        let (mails, logouts) = (FakeTransport(), FakeLogouts())
        let fixture = try await Fixture(logouts, mails)
        try await fixture.enqueue((0..<5).map { "p\($0)@example.com" })
        try await fixture.enqueueLogouts(["a", "b", "c", "d", "e"])
        try await fixture.run { mails.outcomes.count == 5 && logouts.clients.count == FakeLogouts.width }
        // They were broken off: they stay, leased, and nothing is said of them.
        #expect(logouts.clients.count == FakeLogouts.width && logouts.outcomes == 0)
        #expect(try await fixture.rows().count == 5)
        let lease = Int(Deliveries.lease.wholeSeconds)
        #expect(try await fixture.rows().count { $0 == [1, lease] } == FakeLogouts.width)
    }

    @Test func `a recipient that does not answer leaves places for the others of its project`() async throws {
        let logouts = FakeLogouts()
        let fixture = try await Fixture(logouts)
        try await fixture.enqueueLogouts(["silent", "silent", "silent", "other"])
        try await fixture.run { logouts.clients.contains("other") }
        #expect(logouts.clients == ["silent", "other"])
        // What was left out was not leased.
        #expect(try await fixture.rows().map { $0[0] }.sorted() == [0, 0, 1, 1])
    }

    @Test func `all that waits for one recipient is delivered, one place after the other`() async throws {
        let logouts = FakeLogouts(answers: true)
        let fixture = try await Fixture(logouts)
        try await fixture.enqueueLogouts(["site", "site", "site", "site"])
        try await fixture.run { logouts.outcomes == 4 }
        #expect(try await fixture.rows().isEmpty)
    }

    @Test func `gives up and reports what has expired while no process could deliver it`() async throws {
        let transport = FakeTransport()
        let fixture = try await Fixture(transport)
        try await fixture.enqueue(["ada@example.com"])
        fixture.time.advance(.seconds(3600))
        try await fixture.run { transport.outcomes.count == 1 }
        #expect(transport.outcomes == [.givenUp("it expired before it could be delivered")])
        #expect(transport.asked.isEmpty)
        #expect(try await fixture.rows().isEmpty)
    }

    @Test func `leaves a kind that it has no transport for to other processes`() async throws {
        let mails = FakeTransport()
        let fixture = try await Fixture(mails)
        try await fixture.enqueueLogouts(["site"])
        try await fixture.enqueue(["ada@example.com"])
        try await fixture.run { mails.outcomes.count == 1 }
        #expect(try await fixture.rows().map { $0[0] } == [0])
    }
}

/// Counts how many are inside at the same time, and lets others come before one leaves.
private actor Gauge {
    private var inside = 0
    private(set) var most = 0

    func pass() async {
        inside += 1
        most = max(most, inside)
        for _ in 0..<20 { await Task.yield() }
        inside -= 1
    }
}
