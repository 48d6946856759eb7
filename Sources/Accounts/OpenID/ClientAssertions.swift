import Crypto
import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// The JWTs by which relying parties prove themselves. Each is good once. <https://www.rfc-editor.org/rfc/rfc7523#section-3>
package struct ClientAssertions: Sendable {
    let storage: Storage

    /// Notes that the client showed the assertion with this number. One round trip.
    ///
    /// - Parameter expires: when the assertion would expire.
    /// - Returns: whether it was shown for the first time.
    package func spend(
        _ number: UTF8Text, of clientID: String, until expires: Instant, in project: ProjectSettings
    ) async throws(AccountError) -> Bool {
        // The length in front of the id keeps two pairs of id and number apart.
        let name = "client assertion \(clientID.utf8.count) \(clientID) \(number)"
        let digest = Array(Digest.sha256(Array(name.utf8)).prefix(16))
        return try await !storage.write(
            """
            INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project: project), \(digest), \(expires))
            ON CONFLICT DO NOTHING RETURNING token_id
            """
        ).isEmpty
    }
}
