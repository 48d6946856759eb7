import Crypto
import Postgres
package import ProjectSettings
package import Runtime

/// A fact about an account, for one endpoint of its project (`EventEndpoint`). The endpoint gets the account as it is when the event is sent.
package struct OutgoingEvent: DeliveryPayload, Hashable {
    package static let deliveryKind = DeliveryKind.event

    package let endpoint: String
    package var recipient: [UInt8] { Array(endpoint.utf8) }
    package let type: EventType
    package let accountID: String
    /// The provider that it is about; `nil` for none.
    package let providerID: String?
    package let happenedAt: Instant

    package init(_ type: EventType, of accountID: String, providerID: String? = nil, at time: Instant, to endpoint: String) {
        self.endpoint = endpoint
        self.type = type
        self.accountID = accountID
        self.providerID = providerID
        happenedAt = time
    }

    private enum CodingKeys: String, CodingKey { case endpoint, type, accountID, providerID, happenedAt }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        endpoint = try values.decode(String.self, forKey: .endpoint)
        type = try values.decode(EventType.self, forKey: .type)
        accountID = try values.decode(String.self, forKey: .accountID)
        providerID = try values.decodeIfPresent(String.self, forKey: .providerID)
        happenedAt = Instant(microseconds: try values.decode(Int64.self, forKey: .happenedAt))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(endpoint, forKey: .endpoint)
        try values.encode(type, forKey: .type)
        try values.encode(accountID, forKey: .accountID)
        try values.encodeIfPresent(providerID, forKey: .providerID)
        try values.encode(happenedAt.microseconds, forKey: .happenedAt)
    }
}

/// Descriptions do not show the person (SEC-21).
extension OutgoingEvent: Concealed {
    package var description: String { "<\(type.rawValue) for \(endpoint)>" }
}

extension EventType {
    /// The event that endpoints are told of; `nil` for an act that is not one.
    init?(telling action: AuditEvent.Action) {
        switch action {
        case .accountCreated: self = .userCreated
        case .profileChanged, .phoneNumberAdded, .phoneNumberChanged, .phoneNumberRemoved, .secondFactorsChanged: self = .userUpdated
        case .accountDeleted: self = .userDeleted
        case .accountDisabled: self = .userDisabled
        case .accountEnabled: self = .userEnabled
        case .providerLinked, .passkeyAdded: self = .userLinked
        case .providerUnlinked, .passkeyRemoved: self = .userUnlinked
        case .accountTakenOver: self = .userTakenOver
        case .emailChanged, .addressMoved: self = .userEmailChanged
        case .passwordAdded, .passwordChanged, .passwordRemoved: self = .userPasswordChanged
        case .claimsChanged: self = .userClaimsChanged
        case .sessionsEnded, .sessionsRevoked: self = .sessionEnded
        case .clientSessionStolen: self = .sessionReuseDetected
        case .secondFactorAdded: self = .mfaEnrolled
        case .secondFactorRemoved, .secondFactorsRemoved: self = .mfaWithdrawn
        default: return nil
        }
    }
}
