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
/// servers of one kind do not keep back another kind; of those, no more than `widthForRecipient` go to one recipient. `Deliveries` decides
/// what happens to a delivery that was not accepted.
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
    private var queues: [DeliveryKind: Queue] = [:]
    private var lastNumber: UInt64 = 0
    private var isBrokenOff = false

    /// The work on one kind.
    private struct Queue {
        /// The projects with deliveries that are due, each once. They take turns, so that many deliveries of one do not keep back those of the
        /// others.
        var due: [String] = []
        var underWay: [UInt64: Attempt] = [:]

        mutating func add(_ project: String) { if !due.contains(project) { due.append(project) } }

        /// The number of deliveries of a project that are under way to each recipient.
        func underWay(in project: String) -> [[UInt8]: Int] {
            underWay.values.filter { $0.project == project }.reduce(into: [:]) { $0[$1.recipient, default: 0] += 1 }
        }
    }

    private struct Attempt {
        let project: String
        let recipient: [UInt8]
        let task: Task<Void, Never>
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

    /// Delivers until `wakeSignal` ends, begins nothing after that, and returns once nothing is under way any more.
    package func run() async {
        let rounds = Task(executorPreference: loop) {
            var number = 0
            while !Task.isCancelled {
                await self.findDue()
                if number % Self.roundsToCount == 0 { await self.measure() }
                number += 1
                try? await Task.sleep(for: Self.round)
            }
        }
        for await _ in wakeSignal.signals { await startDue() }
        rounds.cancel()
        for attempt in queues.values.flatMap(\.underWay.values) { await attempt.task.value }
    }

    /// Stops what is under way, after the end of `wakeSignal`. It stays in the database, and is tried again when its leases end.
    package func breakOff() {
        isBrokenOff = true
        for attempt in queues.values.flatMap(\.underWay.values) { attempt.task.cancel() }
    }

    /// Finds the projects with waiting deliveries among the next ones.
    private func findDue() async {
        let kinds = transports.map(\.kind)
        do {
            if unseen.isEmpty { unseen = try await knownProjects.list(remembering: projects.current.realms.map(\.settings.storageID))[...] }
            for id in unseen.prefix(Self.piece) where !Task.isCancelled {
                // Before the question, so that a project that cannot be asked holds up no other one in the next round.
                unseen = unseen.dropFirst()
                let first = try await deliveries.firstDue(of: kinds, in: id)
                if first[.mail] == nil { withMails.remove(id) } else { withMails.insert(id) }
                let now = clock.now()
                for (kind, due) in first where due <= now { wakeSignal.send(for: DeliveryQueue(projectID: id, kind: kind)) }
                if let settings = projects.current.realm(storageID: id)?.settings, !settings.events.isEmpty,
                    try await EventFanOut(deliveries).run(in: settings) > 0
                {
                    wakeSignal.send(for: DeliveryQueue(projectID: id, kind: .event))
                }
            }
        } catch {
            log.warning("could not look for deliveries", metadata: ["error": "\(error.logDetail)"])
        }
        // Also for what could not be started before.
        wakeSignal.send()
    }

    /// While the database does not answer, the former numbers stay. Other metrics and the log say that it does not answer.
    private func measure() async {
        guard let gauges, let (count, oldest) = try? await Outbox(deliveries).waiting.depth(in: withMails) else { return }
        gauges.set(count, oldest: oldest)
    }

    private func startDue() async {
        for key in wakeSignal.takeKeys().sorted(by: { $0.projectID < $1.projectID }) {
            queues[key.kind, default: Queue()].add(key.projectID)
        }
        for transport in transports { await startDue(transport) }
    }

    private func startDue<T: Transport>(_ transport: T) async {
        let kind = transport.kind
        var queue: Queue {
            get { queues[kind, default: Queue()] }
            set { queues[kind] = newValue }
        }
        while !wakeSignal.isFinished, queue.underWay.count < T.width, !queue.due.isEmpty {
            let project = queue.due.removeFirst()
            do {
                let recipients = queue.underWay(in: project)
                let busy = recipients.filter { $0.value >= T.widthForRecipient }
                // So few that each recipient has places for them, even if all are for the same one.
                let places = T.widthForRecipient - (recipients.values.filter { $0 < T.widthForRecipient }.max() ?? 0)
                let (found, unreadable) = try await deliveries.claim(
                    T.Payload.self, min(places, T.width - queue.underWay.count), in: project, except: Array(busy.keys))
                if unreadable > 0 {
                    log.error(
                        "some deliveries cannot be read by this process: sealed with another master key, or written by a newer version",
                        metadata: ["kind": "\(kind.rawValue)", "count": "\(unreadable)"])
                }
                if isBrokenOff { return }
                if !found.isEmpty || unreadable > 0 { queue.add(project) }
                for due in found { start(due, transport) }
            } catch {
                queue.add(project)
                return log.warning("could not look for deliveries", metadata: ["error": "\(error.logDetail)"])
            }
        }
    }

    private func start<T: Transport>(_ due: LeasedDelivery<T.Payload>, _ transport: T) {
        lastNumber += 1
        let number = lastNumber
        let task = Task(executorPreference: loop) {
            await self.deliver(due, transport)
            await self.ended(number, by: transport)
        }
        queues[transport.kind, default: Queue()].underWay[number] = Attempt(
            project: due.projectID, recipient: due.payload.recipient, task: task)
    }

    private func ended<T: Transport>(_ number: UInt64, by transport: T) {
        guard var queue = queues[transport.kind], let attempt = queue.underWay[number] else { return }
        // More for this recipient may have been left out.
        if queue.underWay(in: attempt.project)[attempt.recipient] == T.widthForRecipient { queue.add(attempt.project) }
        queue.underWay[number] = nil
        queues[transport.kind] = queue
        // There may be more of this kind than could be taken at once.
        wakeSignal.send()
    }

    private func deliver<T: Transport>(_ due: LeasedDelivery<T.Payload>, _ transport: T) async {
        var log = log
        log[metadataKey: "project"] = "\(due.projectID)"
        log[metadataKey: transport.kind.rawValue] = "\(Hex.encode(due.id))"
        log[metadataKey: "attempt"] = "\(due.attempt)"
        for (key, value) in transport.metadata(due.payload) { log[metadataKey: key] = value }
        do throws(DeliveryFailure) {
            guard clock.now() < due.expires else { throw .permanent("it expired before it could be delivered") }
            try await transport.send(due)
        } catch {
            // Stopped: a process takes the delivery again when its lease ends.
            if Task.isCancelled { return }
            return await record(log) { () async throws(AccountError) in
                if error.isGone {
                    try await StoppedEndpoints(self.deliveries).add(
                        String(decoding: due.payload.recipient, as: UTF8.self), in: due.projectID)
                }
                switch try await self.deliveries.failed(
                    due, forGood: error.isForGood, pause: error.pause, because: error.isNeedless ? nil : error.reason)
                {
                case _ where error.isNeedless: break
                case .retry: transport.report(.deferred(error.reason), to: log)
                case .givenUp: transport.report(.givenUp(error.reason), to: log)
                case nil: break
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
