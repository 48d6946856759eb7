package import Crypto
package import Logging
package import Postgres
import ProjectSettings
package import Runtime

/// The rules about the accounts of all projects, their identities and their sessions, and the SQL that stores them. Each subject is a type
/// of its own. Each loop has one `Accounts`.
///
/// A request's path through this floor: an endpoint asks one rule (`signIn.passwords.signIn`, `idTokens.account`, `sessions.refresh`). The
/// rule reads in one round trip, decides in a function without I/O (`Linking.decide`, `RefreshToken`), and writes in one implicit
/// transaction, in which the constraints of the schema decide last. What a provider said arrives here proven (`ProviderIdentity`).
/// `Web/Failures` decides what a caller may learn of an error.
///
/// A class, so that a request takes one reference and not a copy of each subject.
package final class Accounts: Sendable {
    package let directory: AccountDirectory
    package let changes: AccountChanges
    package let deletion: AccountDeletion
    package let sessions: Sessions
    package let idTokens: IDTokens
    package let firestoreTokens: FirestoreTokens
    package let phoneCodes: PhoneCodes
    package let codes: ActionCodes
    package let codeMails: ActionCodeMails
    package let limits: RateLimits
    /// `nil` where no way of mail is configured.
    package let outbox: Outbox?
    package let addressHashes: AddressHashes
    package let captchaTokens: CaptchaTokens
    /// Counts and logs sign-ins, also those that end before a rule is asked.
    package let signIns: SignInLog

    package let signIn: SignInRules
    package let secondFactors: SecondFactorRules
    package let justInTime: JustInTimeImports
    package let passkeys: PasskeyRules
    package let openID: OpenIDRules
    package let tenants: TenantRows
    package let audit: AuditEvents
    package let administration: AdministrationRules
    package let operators: OperatorRules

    /// - Parameters:
    ///   - formerTokens: verifies Google's ID tokens, for projects whose people come from Firebase; `nil` where no call takes one.
    ///   - formerSecondFactors: judges the second factors of people who come from Firebase; `nil` where none come.
    ///   - hooks: asks the hooks of projects; `nil` where none is asked, as in commands.
    ///   - formerAccounts: finds the accounts of people who come from Firebase just in time; `nil` where none come.
    ///   - publicURL: the server's own address, for links in mails and for projects whose tokens name Gatehouse as issuer.
    ///   - sendsMail: false where no way of mail is configured; then no mail is stored.
    ///   - refusals: logs and counts refused attempts; shared by all loops.
    ///   - signIns: counts and logs sign-ins; shared by all loops.
    package init(
        database: Database, masterKey: MasterKey, clock: Clock, publicURL: String, signingKeys: SigningKeys, passwords: PasswordHashing,
        deliveries: Deliveries, sendsMail: Bool, refusals: Refusals, signIns: SignInLog, formerTokens: (any FormerTokens)? = nil,
        formerSecondFactors: (any FormerSecondFactors)? = nil, formerAccounts: JustInTimeImports.Source? = nil,
        hooks: (any HookCaller)? = nil, log: Logger
    ) {
        let storage = Storage(database: database)
        let passwords = Passwords(hashing: passwords, hashKeys: HashKeys(storage: storage, masterKey: masterKey, clock: clock))
        outbox = sendsMail ? Outbox(deliveries) : nil
        addressHashes = AddressHashes(masterKey: masterKey)
        tenants = TenantRows(database: database, clock: clock)
        audit = AuditEvents(database: database)
        captchaTokens = CaptchaTokens(database: database, clock: clock)
        limits = RateLimits(database: database, clock: clock, refusals: refusals)
        let lost = LostSecondFactors(
            storage: storage, clock: clock, limits: limits, key: masterKey.lostFactors, keys: masterKey.formerSignIns, outbox: outbox,
            former: formerSecondFactors)
        let hooks = SignInHooks(caller: hooks, clock: clock)
        let completion = SignInCompletion(
            storage: storage, log: signIns, refusals: refusals, addressHashes: addressHashes, clock: clock,
            tokenKey: masterKey.tokenKey,
            devices: RememberedDevices(storage: storage, key: masterKey.rememberedDevices), lost: lost, deliveries: deliveries,
            hooks: hooks)
        let factorSecrets = FactorSecrets(keys: masterKey.factorSecrets)
        let erasedNames = ErasedNames(masterKey: masterKey)
        let imports = AccountImport(
            storage: storage, clock: clock, passwords: passwords, hashKeys: passwords.hashKeys,
            factorSecrets: factorSecrets, fingerprintKey: masterKey.importedPasswords, erasedNames: erasedNames)
        justInTime = JustInTimeImports(
            storage: storage, clock: clock, limits: limits, imports: imports, erasedNames: erasedNames, source: formerAccounts,
            log: log)
        directory = AccountDirectory(storage: storage, limits: limits, justInTime: justInTime)
        sessions = Sessions(database: database, masterKey: masterKey, clock: clock, refusals: refusals)
        idTokens = IDTokens(
            storage: storage, clock: clock, publicURL: publicURL, signingKeys: signingKeys, limits: limits, formerTokens: formerTokens,
            justInTime: justInTime)
        firestoreTokens = FirestoreTokens(idTokens: idTokens)
        codeMails = ActionCodeMails(
            storage: storage, clock: clock, publicURL: publicURL, outbox: outbox, directory: directory, idTokens: idTokens,
            addressHashes: addressHashes, limits: limits)
        let notices = OwnerNotices(mails: codeMails)
        phoneCodes = PhoneCodes(
            storage: storage, clock: clock, limits: limits, deliveries: deliveries,
            traffic: PhoneTraffic(storage: storage, refusals: refusals), hooks: hooks, key: masterKey.phoneCodes)
        codes = ActionCodes(
            storage: storage, clock: clock, directory: directory, passwords: passwords, mails: codeMails, notices: notices, limits: limits,
            secrets: factorSecrets)
        changes = AccountChanges(
            storage: storage, clock: clock, directory: directory, idTokens: idTokens, passwords: passwords, notices: notices,
            completion: completion)
        deletion = AccountDeletion(storage: storage, clock: clock, idTokens: idTokens, limits: limits)
        self.signIns = signIns
        let challenges = PasskeyChallenges(keys: masterKey.passkeyChallenges, clock: clock)
        let credentials = PasskeyCredentials(clock: clock, notices: notices, storage: storage)
        let registrations = PasskeyRegistrations(
            clock: clock, idTokens: idTokens, challenges: challenges, notices: notices, completion: completion)

        signIn = SignInRules(
            signUps: SignUps(clock: clock, limits: limits, directory: directory, passwords: passwords, completion: completion),
            passwords: PasswordSignIns(clock: clock, limits: limits, passwords: passwords, completion: completion),
            emailLinks: EmailLinkSignIns(clock: clock, codes: codes, idTokens: idTokens, notices: notices, completion: completion),
            phones: PhoneSignIns(
                storage: storage, clock: clock, codes: phoneCodes,
                proofs: PhoneProofs(storage: storage, keys: masterKey.phoneProofs, clock: clock), idTokens: idTokens, notices: notices,
                completion: completion),
            formerPasswords: FormerPasswords(
                storage: storage, clock: clock, limits: limits, passwords: passwords, completion: completion),
            bridgedSessions: BridgedSessions(
                sessions: sessions, limits: limits, justInTime: justInTime, completion: completion, clock: clock,
                keys: masterKey.bridgedSessions),
            customTokens: CustomTokenSignIns(clock: clock, limits: limits, justInTime: justInTime, completion: completion),
            passkeys: PasskeySignIns(
                clock: clock, limits: limits, challenges: challenges, credentials: credentials, completion: completion),
            federated: FederatedSignIns(
                storage: storage, lookup: LinkingLookup(storage: storage), justInTime: justInTime, clock: clock, notices: notices,
                completion: completion, tokens: ProviderTokenStore(storage: storage, masterKey: masterKey, clock: clock)),
            providerIssuers: ProviderIssuers(database: database),
            flows: SignInFlows(database: database, masterKey: masterKey, clock: clock),
            pendingTokens: PendingTokens(database: database, masterKey: masterKey, clock: clock))
        let recoveryCodes = RecoveryCodes(
            storage: storage, clock: clock, idTokens: idTokens, notices: notices, key: masterKey.recoveryCodes)
        let secondFactorSignIns = SecondFactorSignIns(
            storage: storage, clock: clock, limits: limits,
            pending: PendingSignIns(storage: storage, clock: clock, secrets: factorSecrets), recoveryCodes: recoveryCodes,
            warnings: SecondFactorWarnings(storage: storage, clock: clock, notices: notices), completion: completion)
        let enrollments = FactorEnrollments(
            storage: storage, clock: clock, idTokens: idTokens, secrets: factorSecrets, notices: notices, completion: completion,
            keys: masterKey.enrollments)
        secondFactors = SecondFactorRules(
            signIns: secondFactorSignIns, enrollments: enrollments, recoveryCodes: recoveryCodes, lost: lost,
            phones: PhoneFactors(codes: phoneCodes, enrollments: enrollments, signIns: secondFactorSignIns))
        passkeys = PasskeyRules(
            registrations: registrations,
            secondFactors: PasskeySecondFactors(
                clock: clock, challenges: challenges, credentials: credentials, registrations: registrations,
                signIns: secondFactors.signIns))
        let browserSessions = BrowserSessions(storage: storage, masterKey: masterKey, clock: clock, deliveries: deliveries)
        openID = OpenIDRules(
            requests: AuthorizationRequests(
                storage: storage, clock: clock, completion: completion,
                emailCodes: EmailCodes(key: masterKey.emailCodes, outbox: outbox), codes: codes, limits: limits),
            browserSessions: browserSessions,
            ownSessions: OwnSessions(storage: storage, clock: clock, browserSessions: browserSessions),
            sessions: ClientSessions(storage: storage, masterKey: masterKey, clock: clock, signingKeys: signingKeys),
            tokens: ClientTokens(clock: clock, signingKeys: signingKeys),
            assertions: ClientAssertions(storage: storage),
            secrets: ClientSecrets(limits: limits),
            profileEdits: ProfileEdits(storage: storage, limits: limits))
        operators = OperatorRules(
            sessions: OperatorSessions(database: database, clock: clock), bindings: OperatorBindings(database: database, clock: clock),
            openings: ConsoleOpenings(database: database, clock: clock), flows: OperatorFlows(keys: masterKey.consoleFlows, clock: clock),
            passkeys: OperatorPasskeys(storage: storage, clock: clock, keys: masterKey.operatorPasskeys),
            keys: SigningKeyStore(database: database, masterKey: masterKey, clock: clock),
            serviceAccounts: ServiceAccounts(database: database, clock: clock), events: RecordedEvents(deliveries),
            stoppedEndpoints: StoppedEndpoints(deliveries), mails: WaitingMails(deliveries: deliveries),
            givenUpMails: GivenUpMails(deliveries: deliveries), sampleMails: SampleMails(mails: codeMails),
            providerChecks: OperatorProviderChecks(storage: storage, clock: clock, limits: limits),
            signInLog: SignInLogReader(database: database))
        administration = AdministrationRules(
            accounts: AccountAdministration(
                storage: storage, clock: clock, directory: directory, passwords: passwords, secrets: factorSecrets),
            lists: AccountLists(storage: storage),
            searches: UserSearches(storage: storage, positionKeys: masterKey.listPositions),
            users: UserReader(storage: storage, clock: clock),
            userSessions: UserSessions(storage: storage, clock: clock, browserSessions: browserSessions),
            accessTokens: AdministratorTokens(
                storage: storage, keys: masterKey.accessTokens, clock: clock, limits: limits, tokenURI: KeyFile.tokenURI(publicURL)),
            sessionCookies: SessionCookies(storage: storage, clock: clock, idTokens: idTokens),
            operatorProofs: OperatorProofs(masterKey: masterKey, clock: clock),
            imports: imports,
            exports: AccountExport(storage: storage, factorSecrets: factorSecrets),
            personalExport: PersonalExport(
                storage: storage, deliveries: PersonalDeliveries(deliveries: deliveries), clock: clock),
            erasure: AccountErasure(
                storage: storage, clock: clock, deletion: deletion, deliveries: deliveries, names: erasedNames,
                addressHashes: addressHashes))
    }
}

/// The ways to sign in. Each ends in `SignInCompletion`.
package struct SignInRules: Sendable {
    package let signUps: SignUps
    package let passwords: PasswordSignIns
    package let emailLinks: EmailLinkSignIns
    package let phones: PhoneSignIns
    package let formerPasswords: FormerPasswords
    package let bridgedSessions: BridgedSessions
    package let customTokens: CustomTokenSignIns
    package let passkeys: PasskeySignIns
    package let federated: FederatedSignIns
    package let providerIssuers: ProviderIssuers
    package let flows: SignInFlows
    package let pendingTokens: PendingTokens
}

/// The rules about second factors, and what stands in for them.
package struct SecondFactorRules: Sendable {
    package let signIns: SecondFactorSignIns
    package let enrollments: FactorEnrollments
    package let recoveryCodes: RecoveryCodes
    package let lost: LostSecondFactors
    package let phones: PhoneFactors
}

/// The rules of passkeys besides the sign-in.
package struct PasskeyRules: Sendable {
    package let registrations: PasskeyRegistrations
    package let secondFactors: PasskeySecondFactors
}

/// The rules of the OpenID provider.
package struct OpenIDRules: Sendable {
    package let requests: AuthorizationRequests
    package let browserSessions: BrowserSessions
    package let ownSessions: OwnSessions
    package let sessions: ClientSessions
    package let tokens: ClientTokens
    package let assertions: ClientAssertions
    package let secrets: ClientSecrets
    package let profileEdits: ProfileEdits
}

/// The rules that only administrators may ask for.
package struct AdministrationRules: Sendable {
    package let accounts: AccountAdministration
    package let lists: AccountLists
    package let searches: UserSearches
    package let users: UserReader
    package let userSessions: UserSessions
    package let accessTokens: AdministratorTokens
    package let sessionCookies: SessionCookies
    package let operatorProofs: OperatorProofs
    package let imports: AccountImport
    package let exports: AccountExport
    package let personalExport: PersonalExport
    package let erasure: AccountErasure
}

/// The rules about the operators of the console.
package struct OperatorRules: Sendable {
    package let sessions: OperatorSessions
    package let bindings: OperatorBindings
    package let openings: ConsoleOpenings
    package let flows: OperatorFlows
    package let passkeys: OperatorPasskeys
    package let keys: SigningKeyStore
    package let serviceAccounts: ServiceAccounts
    package let events: RecordedEvents
    package let stoppedEndpoints: StoppedEndpoints
    package let mails: WaitingMails
    package let givenUpMails: GivenUpMails
    package let sampleMails: SampleMails
    package let providerChecks: OperatorProviderChecks
    package let signInLog: SignInLogReader
}
