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

/// The same for messages of log-outs, which never end before the task that waits is cancelled.
final class HangingTransport: Transport {
    typealias Payload = OutgoingLogout
    static let width = 2

    private let state = Mutex((asked: 0, outcomes: 0))

    var asked: Int { state.withLock { $0.asked } }
    var outcomes: Int { state.withLock { $0.outcomes } }

    func send(_ due: LeasedDelivery<OutgoingLogout>) async throws(DeliveryFailure) {
        state.withLock { $0.asked += 1 }
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        throw .temporary("cancelled")
    }

    func metadata(_ message: OutgoingLogout) -> Logger.Metadata { [:] }

    func report(_ outcome: DeliveryOutcome, to log: Logger) { state.withLock { $0.outcomes += 1 } }
}
