import Postgres
import ProjectSettings
import Runtime

// What ends sessions: changes of the account, and the statements that they add to their own.

extension Account {
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

    /// Undoes the write that it belongs to (`AccountError.conflict`) when the account was disabled or its sessions were ended since it was read,
    /// and makes every statement that does so wait for the commit.
    func holdStanding(in project: ProjectSettings) -> SQL {
        .required(
            """
            SELECT account_id FROM accounts WHERE project_id = \(project: project) AND account_id = \(id)
                AND \(sessionsStand) AND NOT disabled FOR SHARE
            """)
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
        end(account.endSessions(because: reason, sparing: spared, in: project, at: time), because: reason, in: project)
    }

    /// The same for the sessions that one of these providers signed in.
    func endSessions(
        of account: Account, signedInBy providerIDs: [String], sparing spared: [UInt8]?, in project: ProjectSettings
    ) -> SQL {
        let ending = account.endSessions(signedInBy: providerIDs, sparing: spared, in: project, at: time)
        return end(ending, because: "provider unlinked", in: project)
    }
}
