package import JSON
import Postgres
package import ProjectSettings
import Runtime
package import WebAuthn

/// Adds passkeys to accounts, and lists them.
package struct PasskeyRegistrations: Sendable {
    let clock: Clock
    let idTokens: IDTokens
    let challenges: PasskeyChallenges
    let notices: OwnerNotices
    let completion: SignInCompletion

    /// The name of a passkey, as its person or app gives it.
    package struct Label: Sendable {
        let name: String?
        let displayName: String?

        package init(name: String?, displayName: String?) {
            self.name = name
            self.displayName = displayName
        }
    }

    /// The options with which the caller's browser makes a passkey.
    ///
    /// Throws `passkeysNotEnabled`, what `IDTokens.account` throws, `signInTooOld`, `passkeyLimitReached`.
    /// - Parameter conditional: whether the browser is to make it without asking the person. `passkeysNotEnabled` where the project does not
    ///   allow that.
    package func start(
        _ idToken: String, conditional: Bool = false, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> CreationOptions {
        let passkeys = try project.enabledPasskeys
        guard passkeys.conditionalRegistration || !conditional else { throw .passkeysNotEnabled }
        let (account, token) = try await idTokens.account(of: idToken, charging: (.update, client), in: project)
        try idTokens.requireFresh(token, of: account, in: project)
        guard account.passkeys.count < passkeys.limit else { throw .passkeyLimitReached }
        let handle = try await userHandle(of: account, in: project)
        let challenge = challenges.make(
            conditional ? .conditionalRegistration : .registration, for: .registration(accountID: account.id), of: passkeys, in: project)
        let user = account.passkeyUser
        return CreationOptions(
            rpID: passkeys.rpID, rpName: project.branding.name,
            user: CreationOptions.User(handle: handle, name: user.name, displayName: user.displayName), challenge: challenge.bytes,
            excluded: try await list(of: account, in: project).map { CredentialDescriptor(id: $0.credentialID, transports: $0.transports) })
    }

    /// Stores the passkey that the browser has made, and answers with tokens: the caller's sign-in goes on in a new session. The owner gets a
    /// mail.
    ///
    /// Throws `passkeysNotEnabled`, what `IDTokens.account` throws, `signInTooOld`, `passkeyResponseMissing`, `passkeyChallengeRefused`,
    /// `passkeyRefused`, `passkeyTaken`, `passkeyLimitReached`, and `tooManyAttempts` for the mailbox of the notices.
    package func finalize(
        _ idToken: String, _ response: JSON?, _ label: Label, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let passkeys = try project.enabledPasskeys
        return try await completion.tellingRefusals(by: SignInProvider.passkey, in: project, from: client) {
            () async throws(AccountError) in
            let (account, token) = try await idTokens.account(of: idToken, charging: (.update, client), in: project)
            try idTokens.requireFreshForSession(token, of: account, in: project)
            let rules = challenges.rules(for: .registration(accountID: account.id), of: passkeys, in: project)
            let new = try checking { () throws(CeremonyError) in try RegistrationResponse(response).verified(by: rules) }
            try await notices.charge(for: [AccountEvent.added(new.id)], to: account, in: project, from: client)
            var isFirst = true
            return try await retryingConflicts { () async throws(AccountError) in
                // The second time, the account is read again, and may have second factors by then.
                var account = account
                if !isFirst {
                    account = try await idTokens.account(of: idToken, in: project).0
                    try idTokens.requireFreshForSession(token, of: account, in: project)
                }
                isFirst = false
                return try await store(new, label, for: account, token, language: language, in: project, from: client)
            }
        }
    }

    private func store(
        _ new: NewCredential, _ label: Label, for account: Account, _ token: IDToken, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let passkeys = try project.enabledPasskeys
        guard !account.passkeys.contains(where: { $0.credentialID == new.id }) else { throw .passkeyTaken }
        guard account.passkeys.count < passkeys.limit else { throw .passkeyLimitReached }
        let now = clock.now()
        let wasAnonymous = account.isAnonymous
        let name = label.name ?? label.displayName ?? Passkey.defaultName
        var changed = account
        changed.passkeys.append(AccountPasskey(credentialID: new.id, name: name, displayName: label.displayName))
        let event = AccountEvent.added(new.id)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let mails = notices.statements(for: [event], from: account, to: changed, language: language, in: project)
        var statements = [changed.update(from: account, passwordHash: nil, in: project)] + token.holdSession(in: project)
        if let challenge = new.challenge { statements.append(challenge.spend(in: project)) }
        statements += [
            account.insert(new, name: name, displayName: label.displayName, of: passkeys, in: project, at: now),
            account.hasPasskeys(changed.passkeys.count, in: project),
        ]
        statements += act.records(of: [event], in: project) + mails
        let authentication = Authentication(
            account: changed, signInProvider: wasAnonymous ? SignInProvider.passkey : token.signInProvider,
            time: token.authTime(linkingTo: account, at: now), continuesSession: true, secondFactor: account.standing(token.secondFactor))
        do {
            let outcome = try await completion.complete(
                authentication, with: statements, as: .linked, by: SignInProvider.passkey, in: project, from: client, at: now
            ).outcome
            notices.mails.wakeWorker(for: mails, in: project)
            return (changed, outcome)
        } catch { throw error.ofSpentToken(.passkeyChallengeRefused) }
    }

    /// The passkeys of an account, the oldest first.
    package func list(of account: Account, in project: ProjectSettings) async throws(AccountError) -> [Passkey] {
        guard !account.passkeys.isEmpty else { return [] }
        let rows = try await completion.storage.read(Passkey.select(of: account.id, in: project))
        return try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return try Passkey(&row)
            }
        }
    }

    /// Gives a passkey of the person another name; one that is not theirs stays as it is.
    package func rename(
        _ credentialID: [UInt8], to name: String, in session: BrowserSession, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard let passkey = session.account.passkeys.first(where: { $0.credentialID == credentialID }), passkey.name != name else { return }
        let act = AuditedAct(by: .person, on: session.account.id, from: client, at: clock.now())
        let rename: SQL = .required(
            """
            UPDATE passkeys SET name = \(name)
            WHERE project_id = \(project: project) AND credential_id = \(credentialID) AND account_id = \(session.account.id)
            RETURNING credential_id
            """)
        _ = try await completion.storage.write(all: session.hold(in: project) + [rename, act.record(.renamed(credentialID), in: project)])
    }

    /// The bytes by which authenticators know the account. They are made once, and stay when its passkeys go.
    private func userHandle(of account: Account, in project: ProjectSettings) async throws(AccountError) -> [UInt8] {
        if let handle = account.userHandle { return handle }
        let rows = try await completion.storage.write(
            """
            UPDATE accounts SET user_handle = coalesce(user_handle, \(PlainBase64.random(24)))
            WHERE project_id = \(project: project) AND account_id = \(account.id) RETURNING user_handle
            """)
        guard let handle = try reading({ try rows.first?.value(as: [UInt8].self) }) else { throw .accountNotFound }
        return handle
    }
}

extension ProjectSettings {
    /// Throws `passkeysNotEnabled` without the section.
    var enabledPasskeys: Passkeys {
        get throws(AccountError) {
            guard let passkeys else { throw .passkeysNotEnabled }
            return passkeys
        }
    }
}

extension Account {
    /// Stores a passkey. Violates the table's key when an account of the project has one with this id.
    fileprivate func insert(
        _ new: NewCredential, name: String, displayName: String?, of passkeys: ProjectSettings.Passkeys, in project: ProjectSettings,
        at now: Instant
    ) -> SQL {
        """
        INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible, backup_state,
            uv_initialized, transports, aaguid, format, name, display_name, linked_unproven, linked_at)
        VALUES (\(project: project), \(new.id), \(id), \(new.key.cose), \(new.key.algorithm.rawValue), \(Int64(new.signCount)),
            \(passkeys.rpID), \(new.isBackupEligible), \(new.isBackedUp), \(new.userVerified), \(new.transports), \(new.aaguid),
            \(new.format), \(name), \(displayName), \(email != nil && !emailProven), \(now))
        """
    }

    /// Undoes the write that it is part of unless the account has this many passkeys now. Stands behind `update`, which locks the account.
    func hasPasskeys(_ count: Int, in project: ProjectSettings) -> SQL {
        .required(
            """
            SELECT 1 WHERE (SELECT count(*) FROM passkeys WHERE project_id = \(project: project) AND account_id = \(id)) = \(count)
            """)
    }
}

extension AccountEvent {
    static func added(_ credentialID: [UInt8]) -> Self { Self(.passkeyAdded, subject: Passkey.factorID(of: credentialID)) }

    fileprivate static func renamed(_ credentialID: [UInt8]) -> Self {
        Self(.passkeyRenamed, subject: Passkey.factorID(of: credentialID))
    }
}
