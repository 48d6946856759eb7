import JSON
package import Runtime

/// The kinds of deliveries. Each has rows of its own in the table, a payload, and a transport that takes it to another server.
package enum DeliveryKind: String, Sendable, CaseIterable {
    /// `OutgoingMail`, to a mail server.
    case mail
    /// `OutgoingLogout`, to a relying party.
    case logout
    /// `OutgoingTextMessage`, to a gateway of text messages.
    case sms
    /// `OutgoingEvent`, to an endpoint of the operator's.
    case event

    /// A delivery that did not succeed for this long is given up, even if it would still be of use.
    package var patience: Duration {
        switch self {
        case .mail: .seconds(24 * 3600)
        case .logout: .seconds(15 * 60)
        case .sms: PhoneCodes.lifetime
        case .event: .seconds(14 * 86400)
        }
    }

    /// The pauses after the first attempts that failed; the last one repeats, but for events, which are given up after it.
    package var pauses: [Duration] {
        switch self {
        case .mail: [.seconds(10), .seconds(30), .seconds(60), .seconds(90)]
        case .logout: [.seconds(2), .seconds(15), .seconds(60), .seconds(180), .seconds(300)]
        case .sms: [.seconds(2), .seconds(10), .seconds(30)]
        // Three days in all.
        case .event: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map { .seconds($0) }
        }
    }

    /// Whether a delivery is tried again when the process ended that tried it. Messages are billed, and the other server may have sent it.
    var repeatsUnfinished: Bool { self != .sms }

    /// Whether what was delivered is kept in development.
    var isKept: Bool { self != .logout }

    /// Whether what was delivered or given up is kept until it expires, to be listed and sent again.
    var isRecorded: Bool { self == .event }
}

/// The content of a delivery of one kind, as it is kept until it is delivered.
package protocol DeliveryPayload: Codable, Sendable {
    static var deliveryKind: DeliveryKind { get }

    /// Names the server that the delivery is for, among those of its project and kind.
    var recipient: [UInt8] { get }

    /// The part that is kept for a while, for operators, once the delivery is given up; `nil` for nothing.
    func remains(because reason: String) -> Self?
}

extension DeliveryPayload {
    package func remains(because reason: String) -> Self? { nil }
}

/// A delivery that this process has leased, and must carry out before the lease ends.
package struct LeasedDelivery<Payload: DeliveryPayload>: Sendable {
    package let projectID: String
    /// The same at every attempt.
    package let id: [UInt8]
    package let payload: Payload
    /// Counted from 1.
    package let attempt: Int
    /// After this time, the delivery is of no use any more.
    package let expires: Instant
}

extension DeliveryPayload {
    /// JSON, padded with spaces to a whole block: shorter payloads have the same size in the database. `nil` when it cannot be encoded.
    func padded() -> [UInt8]? {
        let block = 1024
        guard let bytes = try? JSON(encoding: self).bytes() else { return nil }
        return bytes + [UInt8](repeating: 0x20, count: block - bytes.count % block)
    }

    init?(padded bytes: [UInt8]) {
        guard let payload = try? JSON.parse(bytes).decode(Self.self) else { return nil }
        self = payload
    }
}
