import Identity
import Postgres
import ProjectSettings
import Text

/// Finds the accounts that a sign-in or a link with an identity is about, in one read.
struct LinkingLookup: Sendable {
    let storage: Storage

    struct Found {
        var candidates = Linking.Candidates()
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
        // A person whose import is stored by another name may have signed in before it: then the account of that sign-in stays theirs.
        let order: SQL = identity.importedSubject == nil ? "" : "ORDER BY subject = \(identity.subject) DESC"
        let rows = try await storage.read(
            Account.select(
                """
                (a.email = \(identity.email) OR a.account_id = \(accountID) OR a.account_id = (
                    SELECT account_id FROM identities i
                    JOIN provider_issuers p ON p.project_id = \(project: project) AND p.provider_id = i.provider_id
                    WHERE i.project_id = \(project: project) AND i.provider_id = \(identity.providerID) AND p.issuer = \(identity.issuer)
                        AND (subject = ANY(\(identity.names)) OR alias = ANY(\(identity.names))) \(order) LIMIT 1))
                """, with: "\(sessionLives), \(Candidate.column(of: identity.providerID, in: project))", in: project))
        var found = Found()
        for row in rows {
            guard let candidate = try reading({ try Candidate(row, of: identity.providerID) }) else { continue }
            if candidate.isOwner(of: identity) {
                found.candidates.owner = candidate.account
                found.candidates.ownerHasOtherTenant = candidate.hasOtherTenant(than: identity)
            }
            if let email = identity.email, candidate.account.email == email { found.candidates.accountOfAddress = candidate.account }
            if candidate.account.id.isExactly(accountID) {
                found.linking = candidate.account
                found.sessionLives = candidate.sessionLives
            }
        }
        return found
    }

    /// An account that was found, and what no account shows of its identity of one provider.
    private struct Candidate {
        let account: Account
        let sessionLives: Bool
        private let linked: LinkedIdentity?
        private let tenant: String?
        private let alias: String?

        /// The column to select behind those of `accounts a` and `sessionLives`.
        static func column(of providerID: String, in project: ProjectSettings) -> SQL {
            """
            (SELECT ARRAY[i.tenant, i.alias] FROM identities i
                WHERE i.project_id = \(project: project) AND i.account_id = a.account_id AND i.provider_id = \(providerID))
            """
        }

        init?(_ row: Row, of providerID: String) throws(PostgresError) {
            var row = row.reader()
            guard let account = try Account(&row) else { return nil }
            self.account = account
            sessionLives = try row.next()
            linked = account.identity(of: providerID)
            let hidden = try row.next(as: [String?]?.self) ?? []
            (tenant, alias) = (hidden.first ?? nil, hidden.last ?? nil)
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
