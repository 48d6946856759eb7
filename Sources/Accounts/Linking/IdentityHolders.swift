import Identity
import Postgres
import ProjectSettings
import Text

/// Finds the accounts that a sign-in or a link with an identity is about, in one read.
struct IdentityHolders: Sendable {
    let storage: Storage

    struct Found {
        var holders = Linking.Holders()
        /// The account to link to.
        var linking: Account?
        /// Whether the session that links is alive.
        var sessionLives = false
    }

    /// The identity counts only under the issuer that its provider is pinned to.
    ///
    /// - Parameters:
    ///   - accountID: the account to link to.
    ///   - sessionLives: an expression that says whether the session that links is alive.
    func find(
        _ identity: ProviderIdentity, linkingTo accountID: String?, sessionLives: SQL = "false", in project: ProjectSettings
    ) async throws(AccountError) -> Found {
        let rows = try await storage.read(
            Account.select(
                """
                (a.email = \(identity.email) OR a.account_id = \(accountID) OR a.account_id = (
                    SELECT account_id FROM identities JOIN provider_issuers p USING (project_id, provider_id)
                    WHERE project_id = \(project.id) AND provider_id = \(identity.providerID) AND p.issuer = \(identity.issuer)
                        AND (subject = ANY(\(identity.names)) OR alias = ANY(\(identity.names))) LIMIT 1))
                """, with: "\(sessionLives), i.provider_id, i.tenant, i.alias", in: project))
        let holdings = try reading { try Holding.all(in: rows, of: identity.providerID) }
        var found = Found()
        for holding in holdings {
            if holding.isOwner(of: identity) {
                found.holders.owner = holding.account
                found.holders.ownerHasOtherTenant = holding.hasOtherTenant(than: identity)
            }
            if let email = identity.email, holding.account.email == email { found.holders.accountOfAddress = holding.account }
            if holding.account.id.isExactly(accountID) {
                found.linking = holding.account
                found.sessionLives = holding.sessionLives
            }
        }
        return found
    }

    /// An account that was found, and what no account shows of its identity of one provider.
    private struct Holding {
        let account: Account
        let sessionLives: Bool
        private var linked: LinkedIdentity?
        private var tenant: String?
        private var alias: String?

        /// The accounts in `rows`, which have one row for each of their identities.
        static func all(in rows: [Row], of providerID: String) throws(PostgresError) -> [Holding] {
            var ofAccounts: [UTF8Text: [Row]] = [:]
            for row in rows { ofAccounts[UTF8Text(try row.value(as: String.self)), default: []].append(row) }
            var holdings: [Holding] = []
            for own in ofAccounts.values { if let holding = try Holding(own, of: providerID) { holdings.append(holding) } }
            return holdings
        }

        private init?(_ rows: [Row], of providerID: String) throws(PostgresError) {
            guard var reader = rows.first?.reader(), let account = try Account(rows, &reader) else { return nil }
            self.account = account
            sessionLives = try reader.next()
            linked = account.identity(of: providerID)
            for row in rows {
                var row = reader.moved(to: row)
                guard try row.next(as: String?.self) == providerID else { continue }
                tenant = try row.next()
                alias = try row.next()
            }
        }

        func isOwner(of identity: ProviderIdentity) -> Bool {
            guard let linked else { return false }
            return [linked.subject, alias].contains { name in identity.names.contains { $0.isExactly(name) } }
        }

        func hasOtherTenant(than identity: ProviderIdentity) -> Bool {
            guard let tenant, let claimed = identity.tenant else { return false }
            return !tenant.isExactly(claimed)
        }
    }
}
