import Postgres
import ProjectSettings
import Runtime

/// An ID token is only valid as long as its session: our own calls accept it only while the session is alive, and its changes are
/// committed only if the session is alive at that time (SEC-50).
///
/// Tokens of a version that did not name the session (no `sid`) are valid until they expire, unless the sessions of their account were
/// ended after they were issued.
extension IDToken {
    /// Whether the token's session is alive, as an expression for the statement that reads the account. The account is not part of the
    /// subquery's condition: PostgreSQL would look through all of its sessions instead of looking for the one.
    func sessionLives(in project: ProjectSettings) -> SQL {
        guard let sessionID else { return "true" }
        return """
            (SELECT account_id = \(accountID) FROM sessions
                WHERE project_id = \(project: project) AND session_id = \(sessionID) AND ended_at IS NULL) IS TRUE
            """
    }

    /// Selects the account of the caller, and whether the token's session is alive. Of a token that names no session, `Account.check` decides.
    func caller(in project: ProjectSettings) -> SQL {
        Account.select("a.account_id = \(accountID)", with: sessionLives(in: project), in: project)
    }

    /// The `auth_time` of the session with which a link answers: the caller's own. Adding a way to sign in does not prove that the same
    /// person is there, and a stolen session must not become recent by it (SEC-73). An anonymous account had no way to sign in before, so
    /// its time is now.
    func authTime(linkingTo account: Account, at now: Instant) -> Instant {
        account.isAnonymous && signInProvider == SignInProvider.anonymous ? now : min(now, authTime)
    }

    /// Rolls back the write that it belongs to (`AccountError.overtaken`) unless the session is alive, and makes every statement that ends
    /// the session wait for the commit. Must come after the statement that changes the account, which every ending of all sessions locks
    /// first.
    func holdSession(in project: ProjectSettings) -> [SQL] {
        guard let sessionID else { return [] }
        return [
            .required(
                """
                SELECT session_id FROM sessions WHERE project_id = \(project: project) AND session_id = \(sessionID)
                    AND account_id = \(accountID) AND ended_at IS NULL FOR SHARE
                """)
        ]
    }
}

extension Account {
    /// Throws `sessionEnded` unless the token is valid for this account.
    /// - Parameter sessionLives: whether the session is alive, as the database says (`IDToken.sessionLives`).
    func check(_ token: IDToken, sessionLives: Bool, at now: Instant) throws(AccountError) {
        guard sessionLives, token.expires > now, !token.issued.isInEarlierSecond(than: validSince),
            token.sessionID != nil || countsWithoutSession(token)
        else { throw .sessionEnded }
    }

    /// A token names its time of issue in whole seconds, so a token from the second of an ending may be older than the ending. It is refused,
    /// since a newer one names its session, whose end is exact. An earlier version, which may still run beside this one, does not write
    /// `sessionsEndedAt`; then only `validSince` remains, which an account has from its creation on.
    private func countsWithoutSession(_ token: IDToken) -> Bool {
        if let sessionsEndedAt, token.issued <= sessionsEndedAt { return false }
        return token.issued > validSince || validSince.seconds == createdAt.seconds
    }

    /// Makes all tokens that were issued until now invalid, whichever second they name.
    /// - Parameter start: the time when the session that goes on began; `nil` when none does. Other verifiers compare `validSince` with
    ///   the `auth_time` of a token, so it must not be later than that.
    mutating func endTokens(at now: Instant, sparingSessionFrom start: Instant? = nil) {
        validSince = max(validSince, Instant(seconds: min(now, start ?? now).seconds))
        noteEndedSessions(at: now)
    }

    /// Notes that sessions end now, perhaps not all of them. What a provider or the back end said before that opens the account no more.
    mutating func noteEndedSessions(at now: Instant) { sessionsEndedAt = max(sessionsEndedAt ?? now, now) }

    /// A condition on the row in `accounts`: no session was ended since the account was read.
    var sessionsStand: SQL {
        "valid_since = \(validSince) AND sessions_ended_at IS NOT DISTINCT FROM \(sessionsEndedAt)"
    }

    /// - Parameter spared: the session that goes on.
    func endSessions(because reason: String, sparing spared: [UInt8]? = nil, in project: ProjectSettings, at now: Instant) -> SQL {
        Self.endSessions(of: id, because: reason, sparing: spared, in: project.storageID, at: now)
    }

    /// Ends the sessions that one of these providers signed in, as the providers are unlinked: a person who came by one has no way in any
    /// more.
    func endSessions(signedInBy providerIDs: [String], sparing spared: [UInt8]?, in project: ProjectSettings, at now: Instant) -> SQL {
        let sessions = endSessions(because: "provider unlinked", sparing: spared, in: project, at: now)
        return "\(sessions) AND sign_in_provider = ANY(\(providerIDs))"
    }

    /// Ends the sessions whose person authenticated before a time from which tokens are valid. Those of relying parties and of apps that
    /// went on from a browser's session have its `auth_time`, and end with it.
    func endSessions(authenticatedBefore start: Instant, in project: ProjectSettings, at now: Instant) -> SQL {
        "\(endSessions(because: "revoked", in: project, at: now)) AND auth_time < \(start)"
    }

    /// The same for the account with this id.
    static func endSessions(
        of id: String, because reason: String, sparing spared: [UInt8]? = nil, in projectID: String, at now: Instant
    ) -> SQL {
        """
        UPDATE sessions SET ended_at = \(now), end_reason = \(reason)
        WHERE project_id = \(project: projectID) AND account_id = \(id) AND ended_at IS NULL AND session_id IS DISTINCT FROM \(spared)
        """
    }
}

extension AuditedAct {
    /// Ends the account's sessions, and records how many those were.
    /// - Parameter spared: the session that goes on.
    func endSessions(
        of account: Account, because reason: String, sparing spared: [UInt8]? = nil, in project: ProjectSettings
    ) -> SQL {
        end(account.endSessions(because: reason, sparing: spared, in: project, at: time), because: reason, in: project.storageID)
    }

    /// The same for the sessions that one of these providers signed in.
    func endSessions(
        of account: Account, signedInBy providerIDs: [String], sparing spared: [UInt8]?, in project: ProjectSettings
    ) -> SQL {
        let ending = account.endSessions(signedInBy: providerIDs, sparing: spared, in: project, at: time)
        return end(ending, because: "provider unlinked", in: project.storageID)
    }
}
