import Crypto
package import Postgres
import Runtime

/// What became of a sign-in or link with a proven identity.
package enum FederatedSignIn: Sendable {
    case signedIn(Account, Session, isNewUser: Bool, emailRecycled: Bool)
    /// The address belongs to this account, by which the person must sign in first; nothing was changed.
    case needsConfirmation(Account)
}

extension Accounts {
    /// Signs in with, or links, what a provider proved: one read, the decision, one transaction.
    ///
    /// A request that races with another for the same identity or address loses at a constraint and decides anew.
    /// - Parameter completing: a statement that must take effect together with the sign-in, such as the end of its flow.
    package func signIn(
        with identity: ProvenIdentity, wish: Linking.Wish, in project: ProjectSettings, from origin: Session.Origin,
        completing: SQL? = nil
    ) async throws(AccountError) -> FederatedSignIn {
        var attempts = 0
        while true {
            attempts += 1
            let (owner, namesake) = try await holders(of: identity, in: project)
            let decision = try Linking.decide(
                wish, identity, owner: owner, namesake: namesake, oneAccountPerEmail: project.oneAccountPerEmail)
            if case .confirm(let account) = decision {
                if let completing { _ = try await storage.write(completing) }
                return .needsConfirmation(account)
            }
            do {
                return try await carryOut(decision, identity, in: project, from: origin, completing: completing)
            } catch {
                switch error {
                case .emailTaken, .identityTaken, .accountNotFound:
                    if attempts == 3 { throw error }
                default: throw error
                }
            }
        }
    }

    /// The account that has the identity, and the account that has its address, in one read.
    private func holders(
        of identity: ProvenIdentity, in project: ProjectSettings
    ) async throws(AccountError) -> (owner: Account?, namesake: Account?) {
        let names = [identity.subject] + (identity.alias.map { [$0] } ?? [])
        let rows = try await storage.read(
            """
            SELECT \(Account.columns), i.tenant, i.alias FROM accounts a LEFT JOIN identities i USING (project_id, account_id)
            WHERE a.project_id = \(project.id) AND (a.email = \(identity.email) OR a.account_id = (
                SELECT account_id FROM identities WHERE project_id = \(project.id) AND provider_id = \(identity.providerID)
                AND (subject = ANY(\(names)) OR alias = ANY(\(names))) LIMIT 1))
            ORDER BY a.account_id, i.provider_id
            """)
        do {
            var owner: Account?
            var namesake: Account?
            var rest = rows[...]
            while let first = rest.first {
                let id: String = try first.get(0)
                var own: [Row] = []
                var isOwner = false
                while let row = rest.first, try row.get(0, as: String.self) == id {
                    own.append(row)
                    rest.removeFirst()
                    guard try row.get(12, as: String?.self) == identity.providerID else { continue }
                    let stored = [try row.get(13, as: String?.self), try row.get(Account.columnCount + 1, as: String?.self)]
                    guard stored.contains(where: { $0.map(names.contains) ?? false }) else { continue }
                    isOwner = true
                    let tenant = try row.get(Account.columnCount, as: String?.self)
                    if let tenant, let claimed = identity.tenant, tenant != claimed { throw AccountError.tenantChanged }
                }
                let account = try Account(rows: own)
                if isOwner { owner = account }
                if let email = identity.email, account?.email == email { namesake = account }
            }
            return (owner, namesake)
        } catch let error as AccountError {
            throw error
        } catch let error as PostgresError {
            throw .database(error)
        } catch {
            throw .database(.decoding("accounts"))
        }
    }

    private func carryOut(
        _ decision: Linking.Decision, _ identity: ProvenIdentity, in project: ProjectSettings, from origin: Session.Origin,
        completing: SQL?
    ) async throws(AccountError) -> FederatedSignIn {
        let now = clock.now()
        var account: Account
        var statements: [SQL]
        var isNewUser = false
        var emailRecycled = false
        switch decision {
        case .confirm(let namesake): return .needsConfirmation(namesake)
        case .known(let known):
            account = known
            account.lastLoginAt = now
            statements = [account.recordSignIn(in: project), account.refresh(identity, in: project, at: now)]
        case .create(let email):
            account = Account(new: identity, email: email, at: now)
            isNewUser = true
            statements = [account.insert(in: project), account.insert(identity, in: project, at: now)]
        case .join(let joined, let takeover, let recycled):
            account = joined
            emailRecycled = recycled
            account.join(identity, takeover: takeover, oneAccountPerEmail: project.oneAccountPerEmail, at: now)
            statements = [account.update(in: project)]
            if takeover { statements += account.endEverything(in: project, at: now) }
            if recycled { statements.append(account.remove(identity.providerID, in: project)) }
            statements.append(account.insert(identity, in: project, at: now))
        }
        account.remember(identity)
        let session = Session(project: project.id, account: account.id, signInProvider: identity.providerID, at: now)
        statements.append(session.insert(from: origin))
        if let completing { statements.append(completing) }
        let results = try await storage.write(all: statements)
        // The account's own statement comes first; it finds no row only when the account went away since the read.
        guard results.first?.isEmpty == false else { throw .accountNotFound }
        return .signedIn(account, session, isNewUser: isNewUser, emailRecycled: emailRecycled)
    }
}
