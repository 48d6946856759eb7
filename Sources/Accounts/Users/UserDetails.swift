import Postgres
package import Runtime

/// Everything that an operator sees of one account: no hash, no secret of a second factor, no token and no code.
package struct UserDetails: Sendable {
    package let account: Account
    /// By the ids of their providers.
    package var identityTimes: [String: IdentityTimes] = [:]
    package var passkeys: [Passkey] = []
    /// Those that are alive, the one that was used last first; no more than `UserReader.most`.
    package var sessions: [UserSession] = []
    /// When a session of the account ended last, and why; `nil` where none is known.
    package var lastEnding: SessionEnding?
    /// Browsers that need no second factor for a while.
    package var rememberedBrowsers = 0
    package var recoveryCodes = 0
    /// Limits of the person's own against which something is counted.
    package var limits: [CountedLimit] = []
    /// The newest last; no more than `UserReader.mostEvents`.
    package var events: [AuditEvent] = []

    /// When an identity was linked, and when it signed in last.
    package struct IdentityTimes: Sendable, Equatable {
        package let linked: Instant
        package let lastSignIn: Instant
        /// Whether it was linked while the account's address was not proven.
        package let isUnproven: Bool
    }

    /// The end of a session.
    package struct SessionEnding: Sendable, Equatable {
        package let time: Instant
        package let reason: String?
    }
}

/// A session of an account that is alive, as an operator sees it.
package struct UserSession: Sendable {
    package let id: [UInt8]
    package let kind: Session.Kind
    /// A provider's id, or a name of `SignInProvider`.
    package let signInProvider: String
    package let userAgent: String?
    package let address: String?
    /// The relying party of a session of the kind `client`.
    package let clientID: String?
    package let hasSecondFactor: Bool
    package let authenticated: Instant
    package let created: Instant
    package let used: Instant
}

extension UserSession {
    static let columns: SQL = """
        session_id, kind, sign_in_provider, user_agent, address, client_id, second_factor IS NOT NULL, auth_time, created_at, \
        coalesce(refreshed_at, created_at)
        """

    /// `nil` for a kind that only another version knows.
    init?(_ row: Row) throws(PostgresError) {
        var row = row.reader()
        id = try row.next()
        guard let kind = Session.Kind(rawValue: try row.next()) else { return nil }
        self.kind = kind
        signInProvider = try row.next()
        userAgent = try row.next()
        address = try row.next()
        clientID = try row.next()
        hasSecondFactor = try row.next()
        authenticated = try row.next()
        created = try row.next()
        used = try row.next()
    }
}

extension UserDetails.IdentityTimes {
    /// Reads the id of a provider and the times of its identity.
    static func entry(_ row: Row) throws(PostgresError) -> (providerID: String, times: Self) {
        var row = row.reader()
        let providerID: String = try row.next()
        return (providerID, Self(linked: try row.next(), lastSignIn: try row.next(), isUnproven: try row.next()))
    }
}
