import Crypto
import Postgres
package import ProjectSettings
package import Runtime

/// The sessions of an account and the browsers that are remembered for it, as its person sees and ends them at a page of this server.
package struct OwnSessions: Sendable {
    let storage: Storage
    let clock: Clock
    let browserSessions: BrowserSessions

    /// More are not listed. "Sign out everywhere else" ends them all the same.
    private static let most = 50

    /// A session that is alive.
    package struct Entry: Sendable {
        package let id: [UInt8]
        package let kind: Session.Kind
        package let userAgent: String?
        /// The relying party of a session of the kind `client`.
        package let clientID: String?
        package let createdAt: Instant
        package let usedAt: Instant

        /// The name in forms.
        package var name: String { Hex.encode(id) }
    }

    /// The sessions of the person, the newest first, and how many browsers are remembered.
    package func list(
        in session: BrowserSession, of project: ProjectSettings
    ) async throws(AccountError) -> (entries: [Entry], devices: Int) {
        let rows = try await storage.read(
            """
            SELECT session_id, kind, user_agent, client_id, created_at, coalesce(refreshed_at, created_at) FROM sessions
            WHERE project_id = \(project: project) AND account_id = \(session.account.id) AND ended_at IS NULL
                AND (expires_at IS NULL OR expires_at > \(clock.now()))
            ORDER BY coalesce(refreshed_at, created_at) DESC LIMIT \(Self.most)
            """)
        let entries = try reading { try rows.compactMap(Entry.init) }
        let counted = try await storage.read(
            """
            SELECT count(*) FROM remembered_devices
            WHERE project_id = \(project: project) AND account_id = \(session.account.id) AND expires_at > \(clock.now())
            """)
        return (entries, try reading { try counted.first?.value(as: Int.self) ?? 0 })
    }

    /// Ends another session of the person. One that has ended, or is another person's, stays as it is.
    package func end(
        _ name: String, in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard let id = Hex.decode(name), id != session.session.id else { return }
        let kinds = try await storage.read(
            """
            SELECT session_id, kind, user_agent, client_id, created_at, created_at FROM sessions
            WHERE project_id = \(project: project) AND session_id = \(id) AND account_id = \(session.account.id) AND ended_at IS NULL
            """)
        guard let entry = try reading({ try kinds.first.flatMap(Entry.init) }) else { return }
        guard entry.kind == .browser else {
            return try await endAll(where: "session_id = \(id)", in: session, of: project, from: client)
        }
        // Its relying parties are told.
        let other = Session(
            projectID: project.storageID, id: id, accountID: session.account.id, signInProvider: session.session.signInProvider,
            authTime: session.session.authTime, developerClaims: nil, generation: 0)
        let now = clock.now()
        let ending = ending(where: "session_id = \(id)", in: session, of: project, from: client, at: now)
        try await browserSessions.end(
            BrowserSession(session: other, account: session.account), by: "\(ending) RETURNING 1::bigint",
            after: session.hold(in: project), in: project, at: now)
    }

    /// Ends all sessions of the person but this one and those that relying parties have in it, and forgets remembered browsers.
    package func endOthers(
        in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        for entry in try await list(in: session, of: project).entries where entry.kind == .browser && entry.id != session.session.id {
            try await end(entry.name, in: session, of: project, from: client)
        }
        try await endAll(
            where: "session_id <> \(session.session.id) AND browser_session_id IS DISTINCT FROM \(session.session.id)", in: session,
            of: project, from: client, with: [session.account.forgetDevices(in: project)])
    }

    /// Forgets the browsers that need no second factor.
    package func forgetDevices(
        in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let act = AuditedAct(by: .person, on: session.account.id, from: client, at: clock.now())
        let record = act.record(AccountEvent(.rememberedDevicesForgotten), in: project)
        _ = try await storage.write(all: session.hold(in: project) + [session.account.forgetDevices(in: project), record])
    }

    private func endAll(
        where condition: SQL, in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo,
        with others: [SQL] = []
    ) async throws(AccountError) {
        let ending = ending(where: condition, in: session, of: project, from: client, at: clock.now())
        _ = try await storage.write(all: session.hold(in: project) + [ending] + others, waitingFor: session.account.id)
    }

    /// Ends the sessions of the person for which the condition holds, and records it if there are any.
    private func ending(
        where condition: SQL, in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) -> SQL {
        let act = AuditedAct(by: .person, on: session.account.id, from: client, at: now)
        let reason = "ended by the person"
        let ending: SQL = """
            UPDATE sessions SET ended_at = \(now), end_reason = \(reason)
            WHERE project_id = \(project: project) AND account_id = \(session.account.id) AND ended_at IS NULL AND \(condition)
            """
        return act.end(ending, because: reason, in: project)
    }
}

extension OwnSessions.Entry {
    fileprivate init?(_ row: Row) throws(PostgresError) {
        var row = row.reader()
        id = try row.next()
        guard let kind = Session.Kind(rawValue: try row.next()) else { return nil }
        self.kind = kind
        userAgent = try row.next()
        clientID = try row.next()
        createdAt = try row.next()
        usedAt = try row.next()
    }
}
