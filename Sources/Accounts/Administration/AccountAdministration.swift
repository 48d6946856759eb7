import Crypto
import Postgres
import ProjectSettings
import Runtime
import Text

/// Makes and changes accounts as administrators ask. `AccountLists` reads them, `AccountDeletion` removes them.
///
/// A change that ends sessions ends those of apps, of browsers and of relying parties, in its own transaction. A sign-in that began before
/// compares the time of the last ending when it commits, so it cannot finish afterwards (SEC-50). No mail tells the owner of an account
/// what an administrator did: the record does (`AuditEvent`).
package struct AccountAdministration: Sendable {
    let storage: Storage
    let clock: Clock
    let directory: AccountDirectory
    let passwords: Passwords
    let secrets: FactorSecrets

    /// Makes an account, without a sign-in.
    ///
    /// Throws `accountIDTaken`, `emailTaken`, `phoneNumberTaken`, `identityTaken`, what the password policy throws, and `addressNeeded` for
    /// a password without an address. So a call that is repeated because its answer was lost makes no second account of the same id,
    /// address or number.
    /// - Parameter id: `nil` for a random one.
    package func create(
        _ id: String?, _ change: AdministratorChange, by administrator: Administrator
    ) async throws(AccountError) -> Account {
        let (project, now) = (administrator.project, clock.now())
        var empty = Account(id: id ?? AccountID.random(), at: now)
        empty.lastLoginAt = nil
        var account = try change.applied(to: empty, at: now)
        if let password = change.own.password { try project.passwordPolicy.check(password) }
        try await checkFree(account, in: project)
        let hash = try await hash(change, for: account)
        let act = administrator.act(on: account.id, at: now)
        let factors = try change.secondFactors.map { list throws(AccountError) in
            try secrets.state(list, in: SecondFactors(nil), of: empty, as: &account, in: project, at: now)
        }
        _ = try await storage.write(
            all: [account.insert(passwordHash: hash?.text, in: project)] + (factors ?? [])
                + account.identities.map { account.insert($0, in: project, at: now) }
                + act.records(of: [AccountEvent(.accountCreated)] + empty.events(to: account), in: project),
            by: administrator)
        return account
    }

    /// Changes the account with this id. Of many changes at once, each waits for the one before.
    ///
    /// Throws `accountNotFound`, `emailTaken`, `phoneNumberTaken`, `identityTaken`, what the password policy throws, and `addressNeeded`.
    package func update(
        _ id: String, _ change: AdministratorChange, by administrator: Administrator
    ) async throws(AccountError) -> Account {
        let project = administrator.project
        if let password = change.own.password { try project.passwordPolicy.check(password) }
        guard let account = try await directory.account(id, in: project) else { throw .accountNotFound }
        let hash = try await hash(change, for: try change.applied(to: account, at: clock.now()))
        do {
            // The rows are not needed for other changes.
            let sealed = change.secondFactors == nil ? [] : try await storage.read(FactorSecrets.select(of: id, in: project))
            let (changed, statements) = try carryOut(change, on: account, sealed, hash, by: administrator)
            _ = try await storage.write(all: statements, by: administrator, waitingFor: id)
            return changed
        } catch {
            guard case .conflict = error else { throw error }
        }
        // Others change the account as well. To read it again without its lock could go on for as long as they do.
        return try await storage.transaction(by: administrator, waitingFor: id) { transaction in
            let results = try await transaction.query(all: [
                "SELECT 1 FROM accounts WHERE project_id = \(project: project) AND account_id = \(id) FOR NO KEY UPDATE",
                Account.select("a.account_id = \(id)", in: project), FactorSecrets.select(of: id, in: project),
            ])
            guard let account = try Account(results[1]) else { throw AccountError.accountNotFound }
            let (changed, statements) = try carryOut(change, on: account, results[2], hash, by: administrator)
            _ = try await transaction.query(all: statements)
            return changed
        }
    }

    /// Ends every session of the account with its ID tokens, and the codes that were requested in them. Throws `accountNotFound`.
    package func revokeSessions(of id: String, by administrator: Administrator) async throws(AccountError) {
        var change = AdministratorChange()
        change.validSince = clock.now()
        _ = try await update(id, change, by: administrator)
    }

    /// The account after the change, and the statements that store it.
    ///
    /// - Parameter sealed: the rows of `FactorSecrets.select`.
    private func carryOut(
        _ change: AdministratorChange, on account: Account, _ sealed: [Row], _ hash: PasswordHash?, by administrator: Administrator
    ) throws(AccountError) -> (Account, [SQL]) {
        // A hash takes time. What was signed in meanwhile ends, too.
        let (project, now) = (administrator.project, clock.now())
        let act = administrator.act(on: account.id, at: now)
        var changed = try change.applied(to: account, at: now)
        var ended: [SQL] = []
        let ending = change.ending(of: account, changed: changed, at: now)
        switch ending {
        case .all(let reason):
            changed.endTokens(at: now)
            // The administrator has decided about the address, so no former one gets the account back.
            let isDisabled = changed.disabled && changed.email == account.email
            ended = isDisabled ? [account.expireSignInLinks(in: project, at: now)] : []
            ended += [
                account.deleteCodes(isDisabled ? .allOfDisabled : changed.email == account.email ? .allButRecovery : .all, in: project),
                account.endSessions(because: reason, in: project, at: now),
            ]
        case .some(let providerIDs, let start):
            if let start { changed.validSince = Instant(seconds: start.seconds) }
            guard !providerIDs.isEmpty || start != nil else { break }
            changed.noteEndedSessions(at: now)
            ended = [account.deleteCodes(.allButRecovery, in: project)]
            if !providerIDs.isEmpty { ended.append(account.endSessions(signedInBy: providerIDs, sparing: nil, in: project, at: now)) }
            if let start { ended.append(account.endSessions(authenticatedBefore: start, in: project, at: now)) }
        }
        let lost = account.identitiesLost(in: changed).map(\.providerID)
        var identities = lost.isEmpty ? [] : [act.unlink(where: "provider_id = ANY(\(lost))", in: project)]
        if let linked = change.linked { identities.append(account.linkOrRefresh(linked, of: changed, in: project, at: now)) }
        let withdrawn = account.passkeys(lostIn: changed)
        if !withdrawn.isEmpty { changed.noteEndedSessions(at: now) }
        ended += act.removal(of: withdrawn, from: account, sparing: nil, in: project)
        let update = changed.updateByAdministrator(from: account, passwordHash: hash?.text, in: project)
        var factors: [SQL] = []
        if let list = change.secondFactors {
            factors = try secrets.state(
                list, in: try secrets.factors(of: account, sealed, in: project), of: account, as: &changed, in: project, at: now)
        }
        let records = act.records(of: account.events(to: changed) + change.events(from: account, to: changed, ending), in: project)
        return (
            changed,
            [update] + factors + identities + ended + records
        )
    }

    /// Throws before a password is hashed. Two calls at once meet at the constraints of the schema, which say the same.
    private func checkFree(_ account: Account, in project: ProjectSettings) async throws(AccountError) {
        let rows = try await storage.read(
            """
            SELECT account_id = \(account.id), coalesce(email = \(account.email), false) FROM accounts
            WHERE project_id = \(project: project)
                AND (account_id = \(account.id) OR email = \(account.email) OR phone_number = \(account.phoneNumber))
            """)
        var taken = (id: false, email: false)
        for row in rows {
            var row = row.reader()
            let (sameID, sameEmail): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
            taken = (taken.id || sameID, taken.email || sameEmail)
        }
        guard rows.isEmpty else { throw taken.id ? .accountIDTaken : taken.email ? .emailTaken : .phoneNumberTaken }
    }

    private func hash(_ change: AdministratorChange, for account: Account) async throws(AccountError) -> PasswordHash? {
        guard let password = change.own.password, account.hasPassword else { return nil }
        return try await passwords.hash(password)
    }
}

extension Account {
    /// Stores an identity on the word of an administrator, which needs no issuer. While the address is not proven, the identity is not
    /// its owner's: they lose it when they prove the address.
    fileprivate func insert(_ identity: LinkedIdentity, in project: ProjectSettings, at now: Instant) -> SQL {
        """
        INSERT INTO identities (project_id, provider_id, subject, account_id, email, display_name, photo_url, screen_name, linked_at,
            last_sign_in_at, linked_unproven)
        VALUES (\(project: project), \(identity.providerID), \(identity.subject), \(id), \(identity.email), \(identity.displayName),
            \(identity.photoURL), \(identity.screenName), \(now), \(now), \(email != nil && !emailProven))
        """
    }

    /// The same for an account that may have the identity already, as when a call comes twice.
    fileprivate func linkOrRefresh(_ identity: LinkedIdentity, of changed: Account, in project: ProjectSettings, at now: Instant) -> SQL {
        let has = self.identity(of: identity.providerID)?.subject.isExactly(identity.subject) ?? false
        guard has else { return changed.insert(identity, in: project, at: now) }
        return .required(
            """
            UPDATE identities SET email = \(identity.email), display_name = \(identity.displayName), photo_url = \(identity.photoURL),
                screen_name = \(identity.screenName)
            WHERE project_id = \(project: project) AND provider_id = \(identity.providerID) AND account_id = \(id)
                AND subject = \(identity.subject) RETURNING subject
            """)
    }
}
