import Postgres
import ProjectSettings
import Runtime

/// Finds the deliveries of a person, whose content is sealed: all of a project are opened, some at a time.
struct PersonalDeliveries: Sendable {
    /// The number of deliveries that one statement reads.
    private static let page = 500

    let deliveries: Deliveries

    /// A delivery about the person, and whether it tells an endpoint that the account is deleted.
    struct Found: Sendable {
        let id: [UInt8]
        let kind: String
        let createdAt: Instant
        let tellsOfDeletion: Bool
    }

    /// How the content of a delivery names the person.
    struct Person: Sendable {
        let accountID: String
        var addresses: Set<String> = []
        var numbers: Set<String> = []
    }

    func find(_ person: Person, in project: String) async throws(AccountError) -> [Found] {
        var found: [Found] = []
        var position: [UInt8] = []
        while true {
            let rows = try await deliveries.storage.read(
                """
                SELECT delivery_id, kind, payload, created_at FROM deliveries
                WHERE project_id = \(project: project) AND delivery_id > \(position) ORDER BY delivery_id LIMIT \(Self.page)
                """)
            for row in rows {
                var row = row.reader()
                let (id, kind): ([UInt8], String) = try reading { (try row.next(), try row.next()) }
                let (sealed, time): ([UInt8], Instant) = try reading { (try row.next(), try row.next()) }
                position = id
                if let tellsOfDeletion = tellsOfDeletion(DeliveryKind(rawValue: kind), sealed, id, person, project) {
                    found.append(Found(id: id, kind: kind, createdAt: time, tellsOfDeletion: tellsOfDeletion))
                }
            }
            if rows.count < Self.page { return found }
        }
    }

    /// Whether a delivery about the person tells of their deletion; `nil` for a delivery about another one, or one that no listed key opens.
    private func tellsOfDeletion(
        _ kind: DeliveryKind?, _ sealed: [UInt8], _ id: [UInt8], _ person: Person, _ project: String
    ) -> Bool? {
        switch kind {
        case .mail:
            let mail: OutgoingMail? = deliveries.payload(sealed, project, id)
            return mail.map { person.addresses.contains($0.to) } == true ? false : nil
        case .sms:
            let message: OutgoingTextMessage? = deliveries.payload(sealed, project, id)
            return message.map { person.numbers.contains($0.to) } == true ? false : nil
        case .logout:
            let logout: OutgoingLogout? = deliveries.payload(sealed, project, id)
            return logout.map { $0.subject == person.accountID } == true ? false : nil
        case .event:
            let event: OutgoingEvent? = deliveries.payload(sealed, project, id)
            guard let event, event.accountID == person.accountID else { return nil }
            return event.type == .userDeleted
        case nil: return nil
        }
    }
}
