package import Accounts
package import Logging

/// Takes the deliveries of one kind to servers of others.
package protocol Transport<Payload>: Sendable {
    associatedtype Payload: DeliveryPayload

    /// The number of deliveries under way at once.
    static var width: Int { get }

    /// The number of them that are for one recipient of a project, so that one that does not answer leaves places for others.
    static var widthForRecipient: Int { get }

    /// Returns once another server is responsible for the delivery. Takes less time than `Deliveries.lease`.
    func send(_ due: LeasedDelivery<Payload>) async throws(DeliveryFailure)

    /// The facts about a delivery that its lines in the log have, besides project, id and attempt: nothing secret (SEC-21).
    func metadata(_ payload: Payload) -> Logger.Metadata

    /// Counts what became of an attempt, and writes it into the log.
    func report(_ outcome: DeliveryOutcome, to log: Logger)
}

extension Transport {
    package static var widthForRecipient: Int { width }
}

/// The reason why an attempt did not succeed, for the log.
package struct DeliveryFailure: Error, Equatable, Sendable {
    package let reason: String
    /// Whether no further attempt can succeed.
    package let isForGood: Bool

    /// Whether there was nothing to deliver, which neither the log nor a metric tells.
    package var isNeedless = false
    /// Whether nothing at all is to be delivered to the recipient any more.
    package var isGone = false
    /// The least time until the next attempt that the other server asks for.
    package var pause: Duration?

    package static func temporary(_ reason: String, pause: Duration? = nil) -> DeliveryFailure {
        DeliveryFailure(reason: reason, isForGood: false, pause: pause)
    }
    package static func permanent(_ reason: String) -> DeliveryFailure { DeliveryFailure(reason: reason, isForGood: true) }
    package static let needless = DeliveryFailure(reason: "there was nothing to deliver", isForGood: true, isNeedless: true)
    package static func gone(_ reason: String) -> DeliveryFailure { DeliveryFailure(reason: reason, isForGood: true, isGone: true) }
}

/// The outcome of an attempt.
package enum DeliveryOutcome: Equatable, Sendable {
    case delivered
    /// It is tried again later.
    case deferred(String)
    case givenUp(String)
}
