package import Accounts
import Crypto
package import Logging
import ProjectSettings
package import Projects
package import Runtime

/// Takes deliveries from the database to servers of others, each kind by its transport. Each process has one.
///
/// Requests wake it when they have just added a delivery, and say of which kind and project. Every few seconds it also looks through the
/// projects, for deliveries of processes that died and for those that are due for another try: through a piece of them, so that many projects
/// cost no more than a few, and wait longer. Of each kind several are under way at once, and no more than the transport's `width`, so that slow
/// servers of one kind do not keep back another kind. `Deliveries` decides what happens to a delivery that was not accepted.
package actor DeliveryWorker {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private static let round: Duration = .seconds(3)
    /// The number of projects that a round looks through.
    private static let piece = 200
    /// How many rounds go by from one count of the waiting mails to the next.
    private static let roundsToCount = 5

    private nonisolated let loop: Loop
    private let deliveries: Deliveries
    private let knownProjects: KnownProjects
    private let wakeSignal: WakeSignal<DeliveryQueue>
    private let projects: ProjectDirectory
    private let transports: [any Transport]
    private let clock: Clock
    private let log: Logger
    /// `nil` without a transport of mails.
    private let gauges: OutboxGauges?
    /// The projects that rounds still have to look through; when none is left, all of them again.
    private var unseen: ArraySlice<String> = []
    /// The projects where mails wait, as the last rounds saw them.
    private var withMails: Set<String> = []
    private var lanes: [DeliveryKind: Lane] = [:]
    private var lastNumber: UInt64 = 0

    /// The work on one kind.
    private struct Lane {
        /// The projects with deliveries that are due, each once. They take turns, so that many deliveries of one do not keep back those of the
        /// others.
        var due: [String] = []
        var underWay: [UInt64: Task<Void, Never>] = [:]

        mutating func add(_ project: String) { if !due.contains(project) { due.append(project) } }
    }

    /// - Parameters:
    ///   - loop: a loop that serves no requests: the cost of sending must not show in how long calls take (SEC-15).
    ///   - wakeSignal: the one that `deliveries` sends to.
    ///   - transports: at most one for each kind. Deliveries of other kinds wait for other processes.
    package init(
        loop: Loop, deliveries: Deliveries, knownProjects: KnownProjects, wakeSignal: WakeSignal<DeliveryQueue>, projects: ProjectDirectory,
        transports: [any Transport], clock: Clock, metrics: Metrics, log: Logger
    ) {
        self.loop = loop
        self.deliveries = deliveries
        self.knownProjects = knownProjects
        self.wakeSignal = wakeSignal
        self.projects = projects
        self.transports = transports
        self.clock = clock
        self.log = log
        gauges = transports.contains { $0.kind == .mail } ? OutboxGauges(metrics, clock: clock) : nil
    }

    /// Delivers until `wakeSignal` ends, and returns once nothing is under way any more.
    package func run() async {
        let rounds = Task(executorPreference: loop) {
            var number = 0
            while !Task.isCancelled {
                await self.look()
                if number % Self.roundsToCount == 0 { await self.measure() }
                number += 1
                try? await Task.sleep(for: Self.round)
            }
        }
        for await _ in wakeSignal.signals { await collect() }
        rounds.cancel()
        for task in lanes.values.flatMap(\.underWay.values) { await task.value }
    }

    /// Stops what is under way. It stays in the database, and is tried again when its leases end.
    package func breakOff() {
        for task in lanes.values.flatMap(\.underWay.values) { task.cancel() }
    }

    /// Finds the projects with waiting deliveries among the next ones.
    private func look() async {
        let kinds = transports.map(\.kind)
        do {
            if unseen.isEmpty { unseen = try await knownProjects.list(remembering: projects.current.all.map(\.settings.storageID))[...] }
            for id in unseen.prefix(Self.piece) where !Task.isCancelled {
                // Before the question, so that a project that cannot be asked holds up no other one in the next round.
                unseen = unseen.dropFirst()
                let first = try await deliveries.firstDue(of: kinds, in: id)
                if first[.mail] == nil { withMails.remove(id) } else { withMails.insert(id) }
                let now = clock.now()
                for (kind, due) in first where due <= now { wakeSignal.send(for: DeliveryQueue(projectID: id, kind: kind)) }
            }
        } catch {
            log.warning("could not look for deliveries", metadata: ["error": "\(error.logDetail)"])
        }
        // Also for what could not be collected before.
        wakeSignal.send()
    }

    /// While the database does not answer, the former numbers stay. Other metrics and the log say that it does not answer.
    private func measure() async {
        guard let gauges, let (count, oldest) = try? await Outbox(deliveries).waiting.depth(in: withMails) else { return }
        gauges.set(count, oldest: oldest)
    }

    private func collect() async {
        for queue in wakeSignal.takeKeys().sorted(by: { $0.projectID < $1.projectID }) {
            lanes[queue.kind, default: Lane()].add(queue.projectID)
        }
        for transport in transports { await collect(transport) }
    }

    private func collect<Carrier: Transport>(_ transport: Carrier) async {
        let kind = transport.kind
        var lane: Lane {
            get { lanes[kind, default: Lane()] }
            set { lanes[kind] = newValue }
        }
        while lane.underWay.count < Carrier.width, !lane.due.isEmpty {
            let project = lane.due.removeFirst()
            do {
                let room = Carrier.width - lane.underWay.count
                let (found, unreadable) = try await deliveries.claim(Carrier.Payload.self, room, in: project)
                if unreadable > 0 {
                    log.error(
                        "some deliveries cannot be read by this process: sealed with another master key, or written by a newer version",
                        metadata: ["kind": "\(kind.rawValue)", "count": "\(unreadable)"])
                }
                if !found.isEmpty || unreadable > 0 { lane.add(project) }
                for due in found { start(due, transport) }
            } catch {
                lane.add(project)
                return log.warning("could not look for deliveries", metadata: ["error": "\(error.logDetail)"])
            }
        }
    }

    private func start<Carrier: Transport>(_ due: LeasedDelivery<Carrier.Payload>, _ transport: Carrier) {
        lastNumber += 1
        let number = lastNumber
        lanes[transport.kind, default: Lane()].underWay[number] = Task(executorPreference: loop) {
            await self.deliver(due, transport)
            await self.ended(number, of: transport.kind)
        }
    }

    private func ended(_ number: UInt64, of kind: DeliveryKind) {
        lanes[kind]?.underWay[number] = nil
        // There may be more of this kind than could be taken at once.
        wakeSignal.send()
    }

    private func deliver<Carrier: Transport>(_ due: LeasedDelivery<Carrier.Payload>, _ transport: Carrier) async {
        var log = log
        log[metadataKey: "project"] = "\(due.projectID)"
        log[metadataKey: transport.kind.rawValue] = "\(Hex.encode(due.id))"
        log[metadataKey: "attempt"] = "\(due.attempt)"
        for (key, value) in transport.metadata(due.payload) { log[metadataKey: key] = value }
        do { try await transport.send(due) } catch {
            // Stopped: a process takes the delivery again when its lease ends.
            if Task.isCancelled { return }
            return await record(log) { () async throws(AccountError) in
                switch try await self.deliveries.failed(due, forGood: error.isForGood) {
                case .retry: transport.report(.deferred(error.reason), to: log)
                case .givenUp: transport.report(.givenUp(error.reason), to: log)
                }
            }
        }
        transport.report(.delivered, to: log)
        await record(log) { () async throws(AccountError) in try await self.deliveries.done(due) }
    }

    /// Records what became of a delivery. It tries several times, since otherwise a short outage of the database would repeat a delivery that
    /// has succeeded.
    private func record(_ log: Logger, _ step: () async throws(AccountError) -> Void) async {
        for pause in [Duration.seconds(1), .seconds(4), .zero] {
            do { return try await step() } catch {
                log.warning("could not record what became of a delivery", metadata: ["error": "\(error.logDetail)"])
            }
            try? await Task.sleep(for: pause)
        }
    }
}

extension Transport {
    fileprivate var kind: DeliveryKind { Payload.deliveryKind }
}
