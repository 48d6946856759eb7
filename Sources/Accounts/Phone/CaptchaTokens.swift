import Crypto
package import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// The tokens of captcha services that were used. Each is good once a project, whatever the service says of it the next time.
package struct CaptchaTokens: Sendable {
    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// How long a used token is remembered: longer than any service takes one.
    static let memory: Duration = .seconds(3600)

    /// Uses a token up that the service has confirmed. One round trip.
    ///
    /// - Returns: whether it was not used before.
    package func spend(_ token: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> Bool {
        let digest = Array(Digest.sha256(Array("captcha token \(token)".utf8)).prefix(16))
        return try await !storage.write(
            """
            INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project: project), \(digest), \(clock.now() + Self.memory))
            ON CONFLICT DO NOTHING RETURNING token_id
            """
        ).isEmpty
    }
}
