package import Accounts
import Crypto
package import Logging
package import Mail
import Pages
import ProjectSettings
package import Projects
package import Runtime

/// Takes mails from the outbox and sends them. Each process has one.
///
/// Requests wake it when they have just added a mail, and say of which project. Every few seconds it also looks through the projects, for mails
/// of processes that died and for mails that are due for another try: through a piece of them, so that many projects cost no more than a few, and
/// wait longer. It sends several mails at once. The outbox decides what happens to a mail that was not accepted.
package actor MailWorker {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The number of mails sent at once, which mail servers accept from one client without complaint.
    private static let width = 8
    private static let round: Duration = .seconds(3)
    /// The number of projects that a round looks through.
    private static let piece = 200
    /// How many rounds go by from one count of the waiting mails to the next.
    private static let roundsToCount = 5

    private nonisolated let loop: Loop
    private let outbox: Outbox
    private let knownProjects: KnownProjects
    private let wakeSignal: WakeSignal
    private let projects: ProjectDirectory
    private let transport: any MailTransport
    private let sender: Sender
    private let clock: Clock
    private let log: Logger
    private let metrics: MailMetrics
    private let gauges: OutboxGauges
    /// The projects that rounds still have to look through; when none is left, all of them again.
    private var unseen: ArraySlice<String> = []
    /// The projects where mails wait, as the last rounds saw them.
    private var waiting: Set<String> = []
    /// The projects with mails that are due, each once. They take turns, so that many mails of one do not keep back those of the others.
    private var due: [String] = []
    private var underWay: [UInt64: Task<Void, Never>] = [:]
    private var lastNumber: UInt64 = 0

    /// The sender of mails where a project does not configure its own.
    package struct Sender: Sendable {
        package let from: Mailbox
        package let replyTo: Mailbox?

        package init(from: Mailbox, replyTo: Mailbox?) {
            self.from = from
            self.replyTo = replyTo
        }
    }

    /// - Parameters:
    ///   - loop: a loop that serves no requests: the cost of sending must not show in how long calls take (SEC-15).
    ///   - wakeSignal: the one that `outbox` rings.
    package init(
        loop: Loop, outbox: Outbox, knownProjects: KnownProjects, wakeSignal: WakeSignal, projects: ProjectDirectory,
        transport: any MailTransport, sender: Sender, clock: Clock, metrics: Metrics, log: Logger
    ) {
        self.loop = loop
        self.outbox = outbox
        self.knownProjects = knownProjects
        self.wakeSignal = wakeSignal
        self.projects = projects
        self.transport = transport
        self.sender = sender
        self.clock = clock
        self.log = log
        self.metrics = MailMetrics(metrics)
        gauges = OutboxGauges(metrics, clock: clock)
    }

    /// Sends mails until `wakeSignal` ends, and returns once nothing is being sent any more.
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
        for task in underWay.values { await task.value }
    }

    /// Stops what is being sent. Those mails stay in the outbox, and are tried again when their leases end.
    package func breakOff() {
        for task in underWay.values { task.cancel() }
    }

    /// Finds the projects with waiting mails among the next ones.
    private func look() async {
        do {
            if unseen.isEmpty { unseen = try await knownProjects.list(remembering: projects.current.all.map(\.settings.id))[...] }
            for id in unseen.prefix(Self.piece) where !Task.isCancelled {
                // Before the question, so that a project that cannot be asked holds up no other one in the next round.
                unseen = unseen.dropFirst()
                let first = try await outbox.firstDue(in: id)
                if first == nil { waiting.remove(id) } else { waiting.insert(id) }
                if let first, first <= clock.now() { wakeSignal.send(for: id) }
            }
        } catch {
            log.warning("could not look for mail to send", metadata: ["error": "\(error.logDetail)"])
        }
        // Also for what could not be collected before.
        wakeSignal.send()
    }

    /// While the database does not answer, the former numbers stay. Other metrics and the log say that it does not answer.
    private func measure() async {
        guard let (count, oldest) = try? await outbox.waiting.depth(in: waiting) else { return }
        gauges.set(count, oldest: oldest)
    }

    private func collect() async {
        for id in wakeSignal.takeKeys().sorted() where !due.contains(id) { due.append(id) }
        while underWay.count < Self.width, !due.isEmpty {
            let project = due.removeFirst()
            do {
                let (mails, unreadable) = try await outbox.claim(Self.width - underWay.count, in: project)
                if unreadable > 0 {
                    log.error(
                        "some mails cannot be read by this process: sealed with another master key, or written by a newer version",
                        metadata: ["count": "\(unreadable)"])
                }
                if !mails.isEmpty || unreadable > 0 { due.append(project) }
                for mail in mails { start(mail) }
            } catch {
                due.append(project)
                return log.warning("could not look for mail to send", metadata: ["error": "\(error.logDetail)"])
            }
        }
    }

    private func start(_ due: LeasedMail) {
        lastNumber += 1
        let number = lastNumber
        underWay[number] = Task(executorPreference: loop) {
            await self.deliver(due)
            await self.ended(number)
        }
    }

    private func ended(_ number: UInt64) {
        underWay[number] = nil
        // The outbox may hold more mails than could be taken at once.
        wakeSignal.send()
    }

    private func deliver(_ due: LeasedMail) async {
        var log = log
        log[metadataKey: "project"] = "\(due.projectID)"
        log[metadataKey: "kind"] = "\(due.mail.kind.rawValue)"
        log[metadataKey: "mail"] = "\(Hex.encode(due.id))"
        log[metadataKey: "attempt"] = "\(due.attempt)"
        do {
            try await transport.send(try message(due))
        } catch {
            // Stopped: a process takes the mail again when its lease ends.
            if Task.isCancelled { return }
            return await fail(due, error, log)
        }
        metrics.sent.increment()
        log.info("mail sent")
        await record(log) { () async throws(AccountError) in try await self.outbox.done(due) }
    }

    private func message(_ due: LeasedMail) throws(MailError) -> MailMessage {
        guard let project = projects.current.project(id: due.projectID) else {
            throw .temporary("the project is not among those of this process")
        }
        guard let recipient = Mailbox(address: due.mail.to) else {
            throw .permanent("the address is not of a form that mail servers take")
        }
        let mail = project.templates.mail(due.mail, providerName: due.mail.providerID.flatMap(project.name(ofProvider:)))
        let message = MailMessage(
            id: Hex.encode(due.id), from: project.settings.mail.from ?? sender.from,
            replyTo: project.settings.mail.replyTo ?? sender.replyTo, to: recipient, subject: mail.subject, text: mail.text,
            html: mail.html, date: clock.now())
        guard let message else { throw .permanent("the mail's header cannot be written") }
        return message
    }

    private func fail(_ due: LeasedMail, _ error: MailError, _ log: Logger) async {
        let forGood = if case .permanent = error { true } else { false }
        await record(log) { () async throws(AccountError) in
            switch try await self.outbox.failed(due, forGood: forGood) {
            case .retry:
                self.metrics.deferred.increment()
                log.warning("mail not taken, tried again later", metadata: ["reason": "\(error.reason)"])
            case .givenUp:
                self.metrics.failed.increment()
                log.error("mail given up", metadata: ["reason": "\(error.reason)"])
            }
        }
    }

    /// Records what became of a mail. It tries several times, since otherwise a short outage of the database would make a mail go out
    /// twice.
    private func record(_ log: Logger, _ step: () async throws(AccountError) -> Void) async {
        for pause in [Duration.seconds(1), .seconds(4), .zero] {
            do { return try await step() } catch {
                log.warning("could not record whether a mail was sent", metadata: ["error": "\(error.logDetail)"])
            }
            try? await Task.sleep(for: pause)
        }
    }
}

/// The metrics that a process keeps of its mails.
private struct MailMetrics {
    let sent: Counter
    let deferred: Counter
    let failed: Counter

    init(_ metrics: Metrics) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("gatehouse_mails_total", "Attempts to send a mail, by outcome.", ["outcome": outcome])
        }
        sent = counter("sent")
        deferred = counter("deferred")
        failed = counter("failed")
    }
}
