import Postgres
package import ProjectSettings
import Runtime
package import Text

/// The session of a browser at the pages of this server, and its person. Requests of relying parties are answered in it.
package struct BrowserSession: Sendable {
    package let session: Session
    package let account: Account

    package init(session: Session, account: Account) {
        self.session = session
        self.account = account
    }

    /// The sign-in that made it, as the account is now.
    package var authentication: Authentication {
        Authentication(
            account: account, signInProvider: session.signInProvider, time: session.authTime, developerClaims: session.developerClaims,
            secondFactor: session.secondFactor)
    }

    /// Undoes the write that they belong to unless the session is alive and its person may sign in, and make every statement that ends the
    /// session wait for the commit. The account comes first, as in every ending: an ending that waits for it sees what was committed.
    func hold(in project: ProjectSettings) -> [SQL] {
        [
            .required(
                """
                SELECT account_id FROM accounts WHERE project_id = \(project: project) AND account_id = \(account.id) AND NOT disabled
                    AND \(account.sessionsStand) FOR SHARE
                """),
            .required(
                """
                SELECT session_id FROM sessions WHERE project_id = \(project: project) AND session_id = \(session.id)
                    AND account_id = \(account.id) AND kind = 'browser' AND ended_at IS NULL FOR SHARE
                """),
        ]
    }

    /// Reads `session_id, account_id, sign_in_provider, auth_time, developer_claims, second_factor, second_factor_id`.
    static func session(_ row: inout RowReader, in project: ProjectSettings) throws(PostgresError) -> Session {
        Session(
            projectID: project.storageID, id: try row.next(), accountID: try row.next(), signInProvider: try row.next(),
            authTime: try row.next(), developerClaims: try row.next(), secondFactor: try SecondFactorProof(&row), generation: 0)
    }
}

/// The sessions of browsers at the pages of this server. A cookie names one, with a MAC as of a refresh token, and of a key of its own: no
/// refresh token is a cookie, and no cookie a refresh token.
package struct BrowserSessions: Sendable {
    let storage: Storage
    let clock: Clock
    let deliveries: Deliveries
    private let keys: [RefreshTokenKey]

    init(storage: Storage, masterKey: MasterKey, clock: Clock, deliveries: Deliveries) {
        self.storage = storage
        self.clock = clock
        self.deliveries = deliveries
        keys = masterKey.browserSessions
    }

    /// The value of the cookie for a session that a person has just begun at the pages.
    package func cookie(for session: Session, in project: ProjectSettings) -> String {
        RefreshToken(realmNumber: project.sessionNumber, sessionID: session.id, generation: 0).text(key: keys[0].bytes)
    }

    private static let columns: SQL = """
        s.session_id, s.account_id, s.sign_in_provider, s.auth_time, s.developer_claims, s.second_factor, s.second_factor_id, s.created_at
        """

    /// The session of the browser with this cookie; `nil` when it has ended, or there is none. One round trip.
    package func find(_ cookie: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> BrowserSession? {
        guard let id = sessionID(cookie, in: project) else { return nil }
        let rows = try await storage.read(
            """
            \(Session.select(Self.columns, id, in: project))
            WHERE s.kind = 'browser' AND s.ended_at IS NULL AND s.expires_at > \(clock.now())
            """)
        guard var row = rows.first?.reader() else { return nil }
        let session = try reading { try BrowserSession.session(&row, in: project) }
        let created: Instant = try reading { try row.next() }
        guard let account = try reading({ try Account(&row) }), !account.disabled, !created.isInEarlierSecond(than: account.validSince)
        else { return nil }
        return BrowserSession(session: session, account: account)
    }

    private func sessionID(_ cookie: UTF8Text, in project: ProjectSettings) -> [UInt8]? {
        guard let (token, _) = RefreshToken.read(cookie.asString, keys: keys), token.realmNumber == project.sessionNumber else {
            return nil
        }
        return token.sessionID
    }

    /// Ends a browser's session, and what relying parties were granted in it, except for use without the person (`offline_access`).
    ///
    /// The relying parties of all grants of the session that were alive are told, also of those that go on. The same transaction stores the
    /// messages, so that none is lost when a process ends. Of two calls for one session at the same time, one stores messages.
    package func end(_ session: BrowserSession, in project: ProjectSettings) async throws(AccountError) {
        let now = clock.now()
        try await end(session, by: Self.end(session, because: "signed out", in: project, at: now), in: project, at: now)
    }

    /// The same by another statement, which returns a row if the session was alive.
    ///
    /// - Parameter held: statements before it, which may undo the whole.
    func end(
        _ session: BrowserSession, by ending: SQL, after held: [SQL] = [], in project: ProjectSettings, at now: Instant
    ) async throws(AccountError) {
        let tellsAny = try await storage.transaction(waitingFor: session.account.id) { transaction in
            // The grants have a statement of their own: one that waited for the session would not see a grant that was made meanwhile.
            let results = try await transaction.query(
                all: held + [
                    ending,
                    """
                    WITH ended AS (
                        UPDATE sessions SET ended_at = \(now), end_reason = 'signed out'
                        WHERE \(Self.grants(of: session, in: project)) AND NOT scopes @> ARRAY['offline_access'] RETURNING scopes, granted
                    )
                    SELECT scopes, granted FROM ended UNION
                    SELECT scopes, granted FROM sessions WHERE \(Self.grants(of: session, in: project)) AND scopes @> ARRAY['offline_access']
                    """,
                ])
            guard results.dropLast().last?.isEmpty == false else { return false }
            let grants = try (results.last ?? []).map { row in
                var row = row.reader()
                return try ClientGrant(&row)
            }
            let messages = OutgoingLogout.messages(about: grants, to: session.account, in: project)
            guard !messages.isEmpty else { return false }
            _ = try await transaction.query(all: messages.map { deliveries.insert($0, in: project) })
            return true
        }
        if tellsAny { deliveries.wakeWorker(for: .logout, in: project) }
    }

    /// Ends the session that the browser had before, now that its person has signed in again.
    ///
    /// Grants of relying parties for the same person go on, and end with the new session. Those of another person end, and their relying
    /// parties are told.
    package func replace(
        _ former: BrowserSession, by session: Session, in project: ProjectSettings
    ) async throws(AccountError) {
        guard former.account.id.isExactly(session.accountID) else { return try await end(former, in: project) }
        guard former.session.id != session.id else { return }
        _ = try await storage.write(
            all: [
                Self.end(former, because: "signed in again", in: project, at: clock.now()),
                "UPDATE sessions SET browser_session_id = \(session.id) WHERE \(Self.grants(of: former, in: project))",
            ], waitingFor: former.account.id)
    }

    private static func end(_ session: BrowserSession, because reason: String, in project: ProjectSettings, at now: Instant) -> SQL {
        """
        UPDATE sessions SET ended_at = \(now), end_reason = \(reason)
        WHERE project_id = \(project: project) AND session_id = \(session.session.id) AND ended_at IS NULL RETURNING 1::bigint
        """
    }

    /// A condition on rows in `sessions`. The account has an index, the browser's session has none.
    private static func grants(of session: BrowserSession, in project: ProjectSettings) -> SQL {
        """
        project_id = \(project: project) AND account_id = \(session.account.id) AND kind = 'client'
            AND browser_session_id = \(session.session.id) AND ended_at IS NULL
        """
    }
}

extension Session {
    /// Selects `columns` of the session `s`, and those of its account.
    ///
    /// The session is read first, by its key alone: where PostgreSQL knows nothing of a new table yet, it would read all open sessions.
    static func select(_ columns: SQL, _ id: [UInt8], in project: ProjectSettings) -> SQL {
        """
        WITH s AS MATERIALIZED (SELECT * FROM sessions WHERE project_id = \(project: project) AND session_id = \(id))
        SELECT \(columns), \(Account.columns(in: project)) FROM s
        JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = s.account_id
        """
    }
}
