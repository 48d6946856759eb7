import Postgres
package import Runtime

/// One entry of the record of what was done to accounts, as it was stored. Another version may have stored it, so its words are texts.
package struct AuditEvent: Sendable {
    package let time: Instant
    /// `person` or `command`.
    package let actorKind: String
    /// Which command; `nil` for a person, who is known by the account.
    package let actor: String?
    package let action: String
    package let accountID: String?
    package let providerID: String?
    /// The name of a `LinkingRule`.
    package let rule: String?
    package let address: String?
    package let userAgent: String?
    /// A JSON object as text.
    package let details: String
}

extension AuditEvent {
    /// What was done. The names stand in the table and in the output of `gatehouse audit list`, so a name is never changed.
    package enum Action: String, Sendable, CaseIterable {
        /// To an account that was there. An account that a provider's sign-in makes has its first identity from its creation.
        case providerLinked = "provider.linked"
        case providerUnlinked = "provider.unlinked"
        case passwordAdded = "password.added"
        case passwordChanged = "password.changed"
        case passwordRemoved = "password.removed"
        case emailLinkAdded = "emailLink.added"
        case emailLinkRemoved = "emailLink.removed"
        /// The owner of the address came; what the account was signed in with until then ended.
        case accountTakenOver = "account.takenOver"
        /// The owner of the address came, and got a new account with it; the back end signs another person in to this one.
        case addressMoved = "address.moved"
        case sessionsRevoked = "sessions.revoked"
        /// A code or a refresh token of a relying party came a second time, so its session ended.
        case clientSessionStolen = "clientSession.stolen"
        /// A back end got the tokens that the provider gave for the person.
        case providerTokensGiven = "providerTokens.given"
    }

    /// Who did it.
    package enum Actor: Sendable, Equatable {
        /// The person whose account it is, or becomes.
        case person
        /// A command of the command line.
        case command(String)

        var kind: String {
            switch self {
            case .person: "person"
            case .command: "command"
            }
        }

        var name: String? { if case .command(let name) = self { name } else { nil } }
    }

    static let columns: SQL = "occurred_at, actor_kind, actor, action, account_id, provider_id, rule, address, user_agent, details"

    init(_ row: Row) throws(PostgresError) {
        var row = row.reader()
        time = try row.next()
        actorKind = try row.next()
        actor = try row.next()
        action = try row.next()
        accountID = try row.next()
        providerID = try row.next()
        rule = try row.next()
        address = try row.next()
        userAgent = try row.next()
        details = try row.next()
    }
}
