package import Crypto
package import Postgres
package import Runtime

/// The accounts of all projects: the rules about people, their identities and their sessions, and the SQL that keeps them.
///
/// A request's path through this floor: an endpoint asks one rule (`signIn(with:)`, `Sessions.refresh`, `account(for:)`); the rule reads in
/// one round trip, decides in a function without I/O (`Linking.decide`, `RefreshToken`), and writes in one implicit transaction whose
/// constraints have the last word. What a provider said arrives here proven (`ProvenIdentity`); what a caller may learn of an error
/// is decided above (`Web/Failures`).
package struct Accounts: Sendable {
    let storage: Storage
    let clock: Clock
    let publicURL: String
    let signingKeys: SigningKeys
    let passwords: PasswordHashing
    /// `nil` where no way of mail is configured: then nobody is told of anything.
    let outbox: Outbox?
    package let limits: RateLimits
    package let signIns: SignInMetrics

    /// - Parameters:
    ///   - publicURL: the server's own address, for links in mails and for projects whose tokens name Gatehouse as issuer.
    ///   - refusals: where refused attempts are told, shared by all loops.
    ///   - signIns: where sign-ins are counted, shared by all loops.
    package init(
        database: Database, clock: Clock, publicURL: String, signingKeys: SigningKeys, passwords: PasswordHashing, outbox: Outbox?,
        refusals: Refusals, signIns: SignInMetrics
    ) {
        storage = Storage(database: database)
        self.clock = clock
        self.publicURL = publicURL
        self.signingKeys = signingKeys
        self.passwords = passwords
        self.outbox = outbox
        self.signIns = signIns
        limits = RateLimits(database: database, clock: clock, refusals: refusals)
    }

    /// What verifiers may fetch.
    package var publishedKeys: SigningKeys.Published { signingKeys.published }

    /// The account, with its identities.
    package func account(_ id: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await storage.read(Account.select("a.account_id = \(id)", in: project)))
    }

    /// The account whose own address this is.
    package func account(email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await storage.read(Account.select("a.email = \(email)", in: project)))
    }

    /// The account that signs in with this address: the one whose own it is, or else the only one with an identity that bears it.
    package func account(signingInWith email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        if let account = try await account(email: email, in: project) { return account }
        let bearer: SQL = """
            a.account_id = (SELECT min(account_id) FROM identities WHERE project_id = \(project.id) AND email = \(email)
                HAVING count(DISTINCT account_id) = 1)
            """
        return try Account.one(of: await storage.read(Account.select(bearer, in: project)))
    }

    /// The caller's account, from the ID token they bring; the checks are in the order of docs/wire.md.
    ///
    /// Throws `invalidIDToken`, `accountNotFound`, `sessionEnded` (expired, or its session is over) or `accountDisabled`.
    /// - Parameter attempt: what the account of this id takes from the limits, in the same round trip.
    package func account(
        forIDToken token: String, charging attempt: ((String) -> Attempt)? = nil, in project: ProjectSettings
    ) async throws(AccountError) -> (Account, IDToken) {
        let idToken = try verified(token, in: project)
        let select: SQL = """
            SELECT \(Account.columns), \(idToken.sessionLives(in: project)) FROM accounts a LEFT JOIN identities i USING (project_id, account_id)
            WHERE a.project_id = \(project.id) AND a.account_id = \(idToken.accountID)
            """
        let rows =
            if let attempt { try await limits.charge(attempt(idToken.accountID), then: select) } else { try await storage.read(select) }
        var found: Account?
        var sessionLives = false
        do {
            if var row = rows.first?.reader() {
                found = try Account(rows, &row)
                sessionLives = try row.next()
            }
        } catch { throw .database(error) }
        guard let account = found else { throw .accountNotFound }
        try account.check(idToken, sessionLives: sessionLives, at: clock.now())
        guard !account.disabled else { throw .accountDisabled }
        return (account, idToken)
    }

    /// Removes the caller's own account, soon after they signed in; see `delete(_:in:)`.
    package func delete(forIDToken idToken: String, in project: ProjectSettings) async throws(AccountError) {
        try await settled { () async throws(AccountError) in
            let (account, token) = try await account(forIDToken: idToken, in: project)
            guard project.signIn.deletion else { throw .adminOnly }
            try requireFresh(token, of: account, in: project)
            _ = try await storage.write(
                all: [deletion(of: account.id, only: account.sessionsStand, in: project)] + token.holdSession(in: project)
                    + [endSessions(ofDeleted: account.id, in: project)])
        }
    }

    /// Removes the account with all that hangs on it. Its sessions stay as ended rows without personal data, so that their refresh
    /// tokens answer `USER_NOT_FOUND` rather than count as garbage.
    package func delete(_ id: String, in project: ProjectSettings) async throws(AccountError) {
        let results = try await storage.write(all: [deletion(of: id, in: project), endSessions(ofDeleted: id, in: project)])
        guard results.first?.isEmpty == false else { throw .accountNotFound }
    }

    /// Codes that sign in to its address stand for the address alone; the others go with their account.
    /// - Parameter condition: undoes the write when it is not true of the account, as `SQL.required` does.
    private func deletion(of id: String, only condition: SQL? = nil, in project: ProjectSettings) -> SQL {
        """
        WITH gone AS (
            DELETE FROM accounts WHERE project_id = \(project.id) AND account_id = \(id) AND \(condition ?? "true") RETURNING account_id, email
        ), codes AS (
            DELETE FROM action_codes c USING gone WHERE c.project_id = \(project.id) AND c.account_id IS NULL AND c.email = gone.email
        )
        SELECT \(condition == nil ? "account_id" : SQL.overtakenIfNone) FROM gone
        """
    }

    private func endSessions(ofDeleted id: String, in project: ProjectSettings) -> SQL {
        """
        UPDATE sessions SET ended_at = coalesce(ended_at, \(clock.now())), end_reason = 'account deleted', user_agent = NULL, address = NULL
        WHERE project_id = \(project.id) AND account_id = \(id)
        """
    }

    /// Ends every session of the account with its ID tokens, and the codes that were asked for in them.
    package func revokeSessions(of id: String, in projectID: String) async throws(AccountError) {
        let now = clock.now()
        let results = try await storage.write(all: [
            """
            UPDATE accounts SET valid_since = greatest(valid_since, \(Instant(seconds: now.seconds))),
                sessions_ended_at = greatest(sessions_ended_at, \(now))
            WHERE project_id = \(projectID) AND account_id = \(id) RETURNING account_id
            """,
            "DELETE FROM action_codes WHERE project_id = \(projectID) AND account_id = \(id) AND kind <> 'recoverEmail'",
            """
            UPDATE sessions SET ended_at = \(now), end_reason = 'revoked'
            WHERE project_id = \(projectID) AND account_id = \(id) AND ended_at IS NULL
            """,
        ])
        guard results.first?.isEmpty == false else { throw .accountNotFound }
    }
}
