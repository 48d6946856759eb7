import Crypto
import Logging
package import Postgres
package import ProjectSettings
package import Runtime

/// Refreshes the sessions of all projects and finds stolen refresh tokens.
///
/// The rule of rotation: a client may show a token again at any time as long as its successor was never shown (an answer was lost, or two
/// tabs raced), and gets the same successor. Once the successor was shown, the old token is good for `grace` more. After that it can only
/// be a copy in the wrong hands, and the whole session ends. Two holders who take turns never come that far; but one of them always comes
/// late with a token that the other has used, and that ends the session, too (`LateRepeats`). A session that no client refreshed for the
/// project's `sessions.idle` is over.
package struct Sessions: Sendable {
    static let grace: Duration = .seconds(30)

    let storage: Storage
    let clock: Clock
    private let keys: [RefreshTokenKey]
    private let refusals: Refusals

    /// - Parameter refusals: tells operators of stolen tokens.
    package init(database: Database, masterKey: MasterKey, clock: Clock, refusals: Refusals) {
        storage = Storage(database: database)
        self.clock = clock
        keys = masterKey.refreshTokens
        self.refusals = refusals
    }

    /// Computes the refresh token to hand out for `session`.
    package func refreshToken(for session: Session, in project: ProjectSettings) -> String {
        RefreshToken(realmNumber: project.sessionNumber, sessionID: session.id, generation: session.generation).text(key: keys[0].bytes)
    }

    /// The realm that a refresh token leads to: its `ProjectSettings.sessionNumber`. `nil` for a text that no key of ours made.
    package func realmNumber(of token: String) -> Int64? { RefreshToken.read(token, keys: keys)?.token.realmNumber }

    /// Trades a refresh token for the session's next one, in one round trip.
    ///
    /// Throws `invalidRefreshToken` (a text that never was a refresh token), `wrongProject`, `sessionEnded`, `accountNotFound`,
    /// `accountDisabled`. A token that no key of ours made is one of a session that is gone, with its database or its master key: SDKs sign
    /// the person out then, and the app is not stuck.
    package func refresh(_ token: String, in project: ProjectSettings) async throws(AccountError) -> (Account, Session) {
        guard let (token, key) = RefreshToken.read(token, keys: keys) else {
            throw RefreshToken.isWellFormed(token) ? .sessionEnded : .invalidRefreshToken
        }
        // The numbers of tenants are negative: this one is gone, or another project's.
        guard token.realmNumber == project.sessionNumber else { throw token.realmNumber < 0 ? .sessionEnded : .wrongProject }
        guard let refreshed = try await refresh(token, of: key, in: project) else { throw .sessionEnded }
        return refreshed
    }

    /// Refreshes the session that a token of Firebase's was traded for, by the same rule: that token is its first one, generation 0. `nil` when
    /// there is no such session.
    func refresh(bridged id: [UInt8], in project: ProjectSettings) async throws(AccountError) -> (Account, Session)? {
        let token = RefreshToken(realmNumber: project.sessionNumber, sessionID: id, generation: 0)
        do { return try await refresh(token, of: keys[0], in: project) } catch {
            // Another process may have made the session between the statement that refreshes it and the one that looks why that did nothing.
            guard case .sessionEnded = error else { throw error }
            return try await refresh(token, of: keys[0], in: project)
        }
    }

    /// `nil` when there is no session of this id.
    private func refresh(
        _ token: RefreshToken, of key: RefreshTokenKey, in project: ProjectSettings
    ) async throws(AccountError) -> (Account, Session)? {
        let rotates = project.sessions.refresh != .static
        let rows = try await storage.write(refresh(token, of: key, rotating: rotates, in: project), sharingCommitAs: token.sessionID)
        guard var row = rows.first?.reader() else {
            guard let reason = try await reason(for: token, in: project) else { return nil }
            throw reason
        }
        let session = try reading {
            Session(
                projectID: project.storageID, id: token.sessionID, accountID: try row.next(), signInProvider: try row.next(),
                authTime: try row.next(), developerClaims: try row.next(), secondFactor: try SecondFactorProof(&row),
                generation: rotates ? token.generation + 1 : token.generation)
        }
        let (created, ended): (Instant, Instant?) = try reading { (try row.next(), try row.next()) }
        guard ended == nil else {
            refusals.noteReusedToken(
                of: token.sessionID, in: project.id, "two clients hold the same refresh token: their session is ended")
            let act = AuditedAct(by: .person, on: session.accountID, from: nil, at: clock.now())
            _ = try await storage.write(act.record(AccountEvent(.clientSessionStolen), in: project))
            throw .sessionEnded
        }
        guard let account = try reading({ try Account(&row) }) else { throw .accountNotFound }
        guard !created.isInEarlierSecond(than: account.validSince) else { throw .sessionEnded }
        guard !account.disabled else { throw .accountDisabled }
        return (account, session)
    }

    /// - Parameter rotates: whether the session moves to its next generation. When a project changes to static tokens, its sessions go on: the
    ///   newest token of each stays good, and the one before it.
    func refresh(_ token: RefreshToken, of key: RefreshTokenKey, rotating rotates: Bool, in project: ProjectSettings) -> SQL {
        let now = clock.now()
        let rotated: SQL =
            rotates
            ? """
            , generation = greatest(generation, \(token.generation + 1)),
            rotated_at = CASE WHEN generation <= \(token.generation) THEN \(now) ELSE rotated_at END,
            \(LateRepeats.assignments(for: token, at: now))
            """ : ""
        let isIdle: SQL = project.sessions.idle.map { "refreshed_at <= \(now - $0)" } ?? "false"
        return """
            WITH session AS (
                UPDATE sessions SET refreshed_at = \(now), token_key = \(key.id)\(rotated)
                WHERE project_id = \(project: project) AND session_id = \(token.sessionID) AND ended_at IS NULL AND NOT \(isIdle)
                    AND (generation <= \(token.generation + 1)
                        OR generation = \(token.generation + 2) AND rotated_at > \(now - Self.grace))
                RETURNING account_id, sign_in_provider, auth_time, created_at, developer_claims, second_factor, second_factor_id, ended_at
            ), due AS (
                -- Bookkeeping never waits: revocation locks the account before its sessions.
                SELECT account_id FROM accounts WHERE project_id = \(project: project) AND account_id = (SELECT account_id FROM session)
                    AND (last_refresh_at IS NULL OR last_refresh_at < \(now - .seconds(300))) FOR UPDATE SKIP LOCKED
            ), touched AS (
                UPDATE accounts SET last_refresh_at = \(now) FROM due
                WHERE accounts.project_id = \(project: project) AND accounts.account_id = due.account_id
            )
            SELECT session.account_id, session.sign_in_provider, session.auth_time, session.developer_claims, session.second_factor,
                session.second_factor_id, session.created_at, session.ended_at, \(Account.columns(in: project))
            FROM session LEFT JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = session.account_id
            """
    }

    /// Finds out why a genuine token did not refresh; `nil` when it has no session. When its session lives and has given out later tokens, the
    /// token was used up, and the session ends here.
    private func reason(for token: RefreshToken, in project: ProjectSettings) async throws(AccountError) -> AccountError? {
        let (now, reason) = (clock.now(), "refresh token reused")
        let act = AuditedAct(by: .person, on: nil, from: nil, at: now)
        let ended = try await storage.write(
            """
            WITH ended AS (
                UPDATE sessions SET ended_at = \(now), end_reason = \(reason)
                WHERE project_id = \(project: project) AND session_id = \(token.sessionID) AND ended_at IS NULL
                    AND generation > \(token.generation + 1)
                RETURNING account_id
            )
            INSERT INTO audit_events \(AuditedAct.columns)
            SELECT \(act.values(.clientSessionStolen, accountID: "ended.account_id", reason: reason, in: project)) FROM ended
            RETURNING account_id
            """)
        if !ended.isEmpty {
            refusals.noteReusedToken(of: token.sessionID, in: project.id, "a used refresh token came back: its session is ended")
            return .sessionEnded
        }
        let rows = try await storage.read(
            """
            SELECT a.account_id IS NOT NULL, coalesce(a.disabled, false) FROM sessions s
            LEFT JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = s.account_id
            WHERE s.project_id = \(project: project) AND s.session_id = \(token.sessionID)
            """)
        guard var row = rows.first?.reader() else { return nil }
        let (exists, isDisabled): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
        // Disabling an account ends its sessions. The holder of a genuine token learns the reason, as at Firebase.
        return !exists ? .accountNotFound : isDisabled ? .accountDisabled : .sessionEnded
    }
}

extension SecondFactorProof {
    /// Reads `second_factor` and `second_factor_id`; `nil` without one.
    init?(_ row: inout RowReader) throws(PostgresError) {
        let (kind, id): (String?, String?) = (try row.next(), try row.next())
        guard let kind else { return nil }
        self.init(kind: kind, id: id)
    }
}
