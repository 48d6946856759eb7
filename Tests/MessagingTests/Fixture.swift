@testable import Accounts
import Messaging
import Postgres
import ProjectSettings
import Projects
import Runtime
import TestKit

/// A delivery worker with a database of its own, at a time that only the test moves.
struct Fixture {
    let database: Database
    let deliveries: Deliveries
    let wakeSignal = WakeSignal<DeliveryQueue>()
    let worker: DeliveryWorker
    let time = TestTime()
    let project = ProjectSettings(id: "demo", number: 7, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])

    init(_ transports: any Transport...) async throws {
        let loop = try Loop(index: 0)
        database = try TestDatabase.open(try await TestDatabase.make())
        deliveries = Deliveries(
            database: database, masterKey: MasterKey(bytes: Array(1...32)), clock: time.clock, wakeSignal: wakeSignal)
        let directory = ProjectDirectory(Projects([Project(settings: project, providers: [], publicURL: "https://auth.example.com")]))
        worker = DeliveryWorker(
            loop: loop, deliveries: deliveries, knownProjects: KnownProjects(database: database), wakeSignal: wakeSignal,
            projects: directory, transports: transports, clock: time.clock, metrics: Metrics(), log: TestDatabase.silent)
    }

    /// Stores mails to these addresses, as a committed transaction does.
    func enqueue(_ addresses: [String]) async throws {
        let outbox = Outbox(deliveries)
        let expires = time.clock.now() + .seconds(3600)
        _ = try await database.write(
            all: addresses.map { outbox.enqueue(Self.mail(to: $0), until: expires, for: [], in: project) })
    }

    /// Stores a message of a log-out for each of these clients.
    func enqueueLogouts(_ clients: [String]) async throws {
        for client in clients {
            _ = try await database.write(deliveries.insert(Self.logout("s", of: client), in: project))
            time.advance(.seconds(1))
        }
    }

    static func logout(_ sid: String, of client: String = "site") -> OutgoingLogout {
        OutgoingLogout(clientID: client, issuer: "https://auth.example.com/demo", subject: "ada", sid: sid)
    }

    static func mail(to address: String) -> OutgoingMail {
        OutgoingMail(.verifyEmail, to: address, language: "en", link: "https://auth.example.com/__/auth/action?oobCode=sesame")
    }

    /// Runs the worker until `condition` holds, and then until nothing is under way any more.
    func run(until condition: () async throws -> Bool) async throws {
        let running = Task { await worker.run() }
        wakeSignal.send(for: DeliveryQueue(projectID: project.storageID, kind: .mail))
        wakeSignal.send(for: DeliveryQueue(projectID: project.storageID, kind: .logout))
        try await eventually(condition)
        wakeSignal.finish()
        await worker.breakOff()
        await running.value
    }

    /// `attempts` and the seconds until the next one, for each row that waits.
    func rows() async throws -> [[Int]] {
        let rows = try await database.query(
            "SELECT attempts, due_at FROM deliveries WHERE due_at < 'infinity' ORDER BY created_at, delivery_id")
        return try rows.map { row in
            var row = row.reader()
            let (attempts, due): (Int, Instant) = (try row.next(), try row.next())
            return [attempts, Int((due - time.clock.now()).wholeSeconds)]
        }
    }
}
