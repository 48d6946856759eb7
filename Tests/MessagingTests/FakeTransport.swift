import Accounts
import Logging
import Messaging
import Synchronization

/// Stands for a transport of mails: it answers as a test says, and records what it was asked.
final class FakeTransport: Transport {
    typealias Payload = OutgoingMail
    static let width = 3

    private struct State {
        var asked: [LeasedDelivery<OutgoingMail>] = []
        var outcomes: [DeliveryOutcome] = []
    }

    private let state = Mutex(State())
    private let answer: @Sendable (OutgoingMail) async throws(DeliveryFailure) -> Void

    init(_ answer: @escaping @Sendable (OutgoingMail) async throws(DeliveryFailure) -> Void = { _ in }) { self.answer = answer }

    var asked: [LeasedDelivery<OutgoingMail>] { state.withLock { $0.asked } }
    var outcomes: [DeliveryOutcome] { state.withLock { $0.outcomes } }

    func send(_ due: LeasedDelivery<OutgoingMail>) async throws(DeliveryFailure) {
        state.withLock { $0.asked.append(due) }
        try await answer(due.payload)
    }

    func metadata(_ mail: OutgoingMail) -> Logger.Metadata { [:] }

    func report(_ outcome: DeliveryOutcome, to log: Logger) { state.withLock { $0.outcomes.append(outcome) } }
}

/// The same for messages of log-outs: relying parties answer at once, or never before the task that waits is cancelled.
final class FakeLogouts: Transport {
    typealias Payload = OutgoingLogout
    static let width = 2
    static let widthForRecipient = 1

    private let answers: Bool
    private let state = Mutex((clients: [String](), outcomes: 0))

    init(answers: Bool = false) { self.answers = answers }

    /// The relying parties that were told.
    var clients: [String] { state.withLock { $0.clients } }
    var outcomes: Int { state.withLock { $0.outcomes } }

    func send(_ due: LeasedDelivery<OutgoingLogout>) async throws(DeliveryFailure) {
        state.withLock { $0.clients.append(due.payload.clientID) }
        if answers { return }
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        throw .temporary("cancelled")
    }

    func metadata(_ message: OutgoingLogout) -> Logger.Metadata { [:] }

    func report(_ outcome: DeliveryOutcome, to log: Logger) { state.withLock { $0.outcomes += 1 } }
}
