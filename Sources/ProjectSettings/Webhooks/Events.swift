import Config
import Text
package import Webhooks

/// The events of accounts, by the names that endpoints know. A name is never changed.
package enum EventType: String, Sendable, CaseIterable, Codable {
    case userCreated = "user.created"
    /// The name, the picture or the phone number.
    case userUpdated = "user.updated"
    case userDeleted = "user.deleted"
    case userDisabled = "user.disabled"
    case userEnabled = "user.enabled"
    /// A provider or a passkey became a way to sign in.
    case userLinked = "user.linked"
    case userUnlinked = "user.unlinked"
    /// The owner of the address came; what the account was signed in with until then ended.
    case userTakenOver = "user.taken_over"
    case userEmailChanged = "user.email_changed"
    case userPasswordChanged = "user.password_changed"
    case userClaimsChanged = "user.claims_changed"
    case userSignedIn = "user.signed_in"
    /// Sessions of the account ended before their time.
    case sessionEnded = "session.ended"
    /// A token came a second time, so that its session ended: one of its two holders is a thief.
    case sessionReuseDetected = "session.reuse_detected"
    case mfaEnrolled = "mfa.enrolled"
    case mfaWithdrawn = "mfa.withdrawn"
    /// Sent by `gatehouse events test` alone.
    case test = "endpoint.test"
}

/// An address of the operator's that is told what happens to accounts: an entry of `events` in a project's file.
package struct EventEndpoint: Sendable {
    /// Its name in the database, in commands and in the log.
    package let id: String
    package let webhook: Webhook
    package let types: Set<EventType>

    package init(id: String, webhook: Webhook, types: Set<EventType>) {
        self.id = id
        self.webhook = webhook
        self.types = types
    }
}

extension EventEndpoint {
    /// Far more than a project needs.
    private static let most = 20

    /// ```yaml
    /// events:
    ///   - id: crm
    ///     url: https://crm.example.com/gatehouse
    ///     types: [user.created, user.deleted]   # or "*"
    ///     secrets: {file: crm.secret}           # or a list, while one takes another's place
    /// ```
    static func read(_ sections: [Section], of project: Section, development: Bool) -> [EventEndpoint] {
        var endpoints: [EventEndpoint] = []
        for section in sections {
            guard let endpoint = EventEndpoint(section, development: development) else { continue }
            if endpoints.contains(where: { $0.id.isExactly(endpoint.id) }) {
                section.fault("id", "is that of another endpoint, too")
            } else {
                endpoints.append(endpoint)
            }
        }
        if endpoints.count > most { project.fault("events", "has more than \(most) endpoints") }
        return endpoints
    }

    private init?(_ section: Section, development: Bool) {
        section.require("id", "a name for the endpoint, such as crm")
        section.requireEntry("types", "so nothing is sent; name what the endpoint wants to know, or \"*\"")
        let id = section.value("id", expected: "1 to 32 lower-case letters, digits and hyphens") { Self.isID($0) ? $0 : nil }
        let names = section.values("types", expected: "a type of event, such as user.created, or \"*\" for all") { name in
            name == "*" || EventType(rawValue: name).map { $0 != .test } ?? false ? name : nil
        }
        let webhook = Webhook(section, purpose: "the address that is told what happens", development: development)
        section.finish()
        guard let id, let webhook else { return nil }
        self.id = id
        self.webhook = webhook
        types = names.contains("*") ? Set(EventType.allCases) : Set(names.compactMap(EventType.init(rawValue:)))
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

extension ProjectSettings {
    /// The ids of the endpoints that want to know of events of a type.
    package func endpoints(for type: EventType) -> [String] { events.filter { $0.types.contains(type) }.map(\.id) }
}
