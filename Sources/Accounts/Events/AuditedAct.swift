import JSON
import Postgres
import ProjectSettings
import Runtime

/// An act on one account, and the statements that record what comes of it. They stand in the transaction of the act, so that every act
/// has its record, and an act that was undone has none.
struct AuditedAct {
    let actor: AuditEvent.Actor
    /// `nil` for an act on no account, or on several.
    let accountID: String?
    /// For an act on an address without an account, since the record has no addresses (`AddressHashes`).
    let emailHash: String?
    /// `nil` for a command.
    let client: Session.ClientInfo?
    let time: Instant
    let rule: LinkingRule?
    /// The kind of the code in a mail by which the person proved themselves; `nil` without one.
    let code: ActionCode.Kind?
    /// The reason that an operator gave at the console.
    let operatorReason: String?

    init(
        by actor: AuditEvent.Actor, on accountID: String?, emailHash: String? = nil, from client: Session.ClientInfo?, at time: Instant,
        rule: LinkingRule? = nil, code: ActionCode.Kind? = nil, operatorReason: String? = nil
    ) {
        self.actor = actor
        self.accountID = accountID
        self.emailHash = emailHash
        self.client = client
        self.time = time
        self.rule = rule
        self.code = code
        self.operatorReason = operatorReason
    }

    /// Records what happened to the account.
    func record(_ event: AccountEvent, in project: ProjectSettings) -> SQL {
        let values = values(
            event.action, providerID: "\(event.providerID)", subject: "\(event.subject)", successor: event.successor,
            factorID: event.factorID, in: project)
        return "INSERT INTO audit_events \(Self.columns) SELECT \(values)"
    }

    /// The same by the project's `storageID`, for an act that no endpoint is told of.
    func record(_ event: AccountEvent, in projectID: String) -> SQL {
        "INSERT INTO audit_events \(Self.columns) SELECT \(values(event.action, providerID: "\(event.providerID)", in: projectID))"
    }

    /// The same for several events. Identities and passkeys that were removed are left out, since `unlink` and `removePasskeys` record those
    /// that were there.
    func records(of events: [AccountEvent], in project: ProjectSettings) -> [SQL] {
        events.filter { $0.action != .providerUnlinked && $0.action != .passkeyRemoved }.map { record($0, in: project) }
    }

    /// Records an act on no account.
    ///
    /// - Parameter facts: more of `details`: names and values in turn.
    func record(_ action: AuditEvent.Action, facts: SQL, in projectID: String) -> SQL {
        "INSERT INTO audit_events \(Self.columns) SELECT \(values(action, facts: facts, in: projectID))"
    }

    /// Unlinks the account's identities for which `condition` is true, and records each that was there.
    func unlink(where condition: SQL, in project: ProjectSettings) -> SQL {
        """
        WITH gone AS (
            DELETE FROM identities WHERE project_id = \(project: project) AND account_id = \(accountID) AND (\(condition)) RETURNING provider_id, subject
        )
        INSERT INTO audit_events \(Self.columns)
        SELECT \(values(.providerUnlinked, providerID: "gone.provider_id", subject: "gone.subject", in: project)) FROM gone
        ORDER BY gone.provider_id
        """
    }

    /// Removes the account's passkeys for which `condition` is true, and records each that was there.
    func removePasskeys(where condition: SQL, in project: ProjectSettings) -> SQL {
        """
        WITH gone AS (
            DELETE FROM passkeys WHERE project_id = \(project: project) AND account_id = \(accountID) AND (\(condition)) RETURNING credential_id
        )
        INSERT INTO audit_events \(Self.columns)
        SELECT \(values(.passkeyRemoved, subject: Passkey.factorIDText(of: "gone.credential_id"), in: project)) FROM gone
        ORDER BY gone.credential_id
        """
    }

    /// Removes the identities and the passkeys for which `condition` is true; both have `linked_at` and `linked_unproven`.
    func unlinkAll(where condition: SQL, in project: ProjectSettings) -> [SQL] {
        [unlink(where: condition, in: project), removePasskeys(where: condition, in: project)]
    }

    /// Ends sessions by a statement that updates their rows, and records how many those were, if any.
    ///
    /// - Parameter reason: as the sessions' rows tell it.
    func end(_ ending: SQL, because reason: String, in project: ProjectSettings) -> SQL {
        """
        WITH ended AS (\(ending) RETURNING 1), ending AS (SELECT count(*) AS sessions FROM ended)
        INSERT INTO audit_events \(Self.columns)
        SELECT \(values(.sessionsEnded, sessions: "ending.sessions", reason: reason, in: project)) FROM ending WHERE sessions > 0
        """
    }

    /// Records that the account is deleted; it stands before the statement that deletes it, and says which account it was (`AccountMirror`).
    func recordDeletion(in project: ProjectSettings) -> SQL {
        """
        INSERT INTO audit_events \(Self.columns)
        SELECT \(values(.accountDeleted, facts: Self.factsOfDeletion(of: "a", in: project), in: project)) FROM accounts a
        WHERE a.project_id = \(project: project) AND a.account_id = \(accountID)
        """
    }

    /// Names and values of `details` that say which account of an id was deleted.
    /// - Parameter row: the account's.
    static func factsOfDeletion(of row: SQL, in project: ProjectSettings) -> SQL {
        """
        'createdAt', floor(extract(epoch FROM \(row).created_at) * 1000)::bigint, 'imported', EXISTS (
            SELECT 1 FROM imported_accounts i WHERE i.project_id = \(project: project) AND i.account_id = \(row).account_id)
        """
    }

    static let columns: SQL = """
        (project_id, occurred_at, actor_kind, actor, action, account_id, provider_id, rule, address, user_agent, details, recipients)
        """

    /// The values of `columns`, of which some may come from the statement's own tables. The endpoints of the project that want to know of the
    /// act are told of it (`EventFanOut`).
    /// - Parameter accountID: in place of the act's own.
    func values(
        _ action: AuditEvent.Action, accountID: SQL? = nil, providerID: SQL = "NULL", subject: SQL = "NULL", successor: String? = nil,
        factorID: String? = nil, sessions: SQL = "NULL", reason: String? = nil, facts: SQL? = nil, in project: ProjectSettings
    ) -> SQL {
        values(
            action, accountID: accountID, providerID: providerID, subject: subject, successor: successor, factorID: factorID,
            sessions: sessions, reason: reason, facts: facts, in: project.storageID,
            telling: EventType(telling: action).map(project.endpoints) ?? [])
    }

    /// The same by the project's `storageID`; no endpoint is told but those of `endpoints`.
    func values(
        _ action: AuditEvent.Action, accountID: SQL? = nil, providerID: SQL = "NULL", subject: SQL = "NULL", successor: String? = nil,
        factorID: String? = nil, sessions: SQL = "NULL", reason: String? = nil, facts: SQL? = nil, in projectID: String,
        telling endpoints: [String] = []
    ) -> SQL {
        let more: SQL = facts.map { ", \($0)" } ?? ""
        return """
            \(project: projectID), \(time), \(actor.kind), \(actor.name), \(action.rawValue), \(accountID ?? "\(self.accountID)"), \
            \(providerID), \(rule?.rawValue), \
            \(client?.address), \(client?.userAgent), \
            jsonb_strip_nulls(jsonb_build_object('subject', \(subject), 'code', \(code?.rawValue), 'account', \(successor), \
            'factor', \(factorID), 'sessions', \(sessions), 'reason', \(reason), 'emailHash', \(emailHash), \
            'operatorReason', \(operatorReason)\(more))), \
            \(endpoints.isEmpty ? nil : endpoints)
            """
    }
}
