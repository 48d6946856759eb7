import Postgres
package import ProjectSettings
import Runtime

/// A text message before it is rendered: its recipient, and the code in it. The project's words decide how it reads, and `TextMessages` sends it.
package struct OutgoingTextMessage: DeliveryPayload, Equatable {
    package static let deliveryKind = DeliveryKind.sms
    /// One gateway takes all messages of a project.
    package var recipient: [UInt8] { [] }

    /// The name of the step that the code is for (`PhonePurpose`).
    package var purpose: String
    /// A number in E.164 form.
    package var to: String
    /// Two letters; `nil` for a test number, to which nothing is sent.
    package var region: String?
    /// The tag of a language that the project's templates have.
    package var language: String
    /// A secret until it is used.
    package var code: String
    /// Stands at the end of the message, for an Android app that reads it by itself.
    package var appSignatureHash: String?
    /// The text by which the client names the code; only in development, for `recent`.
    package var session: String?
}

/// Descriptions show neither the person nor the code (SEC-21).
extension OutgoingTextMessage: Concealed {
    package var description: String { "<text message for \(purpose)>" }
}

extension Deliveries {
    /// The text messages whose codes still work, the newest first. Only for development, since a reader of them has the codes.
    package func recentTextMessages(in project: ProjectSettings, limit: Int = 1000) async throws(AccountError) -> [OutgoingTextMessage] {
        guard keepsDelivered else { return [] }
        let rows = try await storage.read(
            """
            SELECT delivery_id, payload FROM deliveries
            WHERE project_id = \(project: project) AND kind = 'sms' AND expires_at > \(clock.now()) AND purpose IN (
                SELECT session_hash FROM sms_codes WHERE project_id = \(project: project))
            ORDER BY created_at DESC LIMIT \(limit)
            """)
        return try reading {
            try rows.compactMap { row in
                var row = row.reader()
                let (id, sealed): ([UInt8], [UInt8]) = (try row.next(), try row.next())
                return payload(sealed, project.storageID, id)
            }
        }
    }
}
