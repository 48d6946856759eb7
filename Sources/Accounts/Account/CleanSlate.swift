import Postgres

extension Accounts {
    /// Removes every account of the project with all that belongs to them, without a trace: sessions, sign-ins under way, codes, mails,
    /// and what was counted against its limits.
    /// For test suites in development mode; nothing in production calls it. What was spent stays spent.
    package func deleteAll(in project: ProjectSettings) async throws(AccountError) {
        _ = try await storage.write(all: [
            "DELETE FROM accounts WHERE project_id = \(project.id)",
            "DELETE FROM sessions WHERE project_id = \(project.id)",
            "DELETE FROM sign_in_flows WHERE project_id = \(project.id)",
            "DELETE FROM action_codes WHERE project_id = \(project.id)",
            "DELETE FROM mail_outbox WHERE project_id = \(project.id)",
            "DELETE FROM rate_limits WHERE project_id = \(project.id)",
        ])
    }
}
