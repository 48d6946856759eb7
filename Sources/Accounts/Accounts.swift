package import Crypto
package import Postgres
import ProjectSettings
package import Runtime

/// The rules about the accounts of all projects, their identities and their sessions, and the SQL that stores them. Each subject is a type
/// of its own. Each loop has one `Accounts`.
///
/// A request's path through this floor: an endpoint asks one rule (`passwordSignIns.signIn`, `idTokens.account`, `Sessions.refresh`). The
/// rule reads in one round trip, decides in a function without I/O (`Linking.decide`, `RefreshToken`), and writes in one implicit
/// transaction, in which the constraints of the schema decide last. What a provider said arrives here proven (`ProviderIdentity`).
/// `Web/Failures` decides what a caller may learn of an error.
///
/// A class, so that a request takes one reference and not a copy of each subject.
package final class Accounts: Sendable {
    package let directory: AccountDirectory
    package let changes: AccountChanges
    package let deletion: AccountDeletion

    package let signUps: SignUps
    package let passwordSignIns: PasswordSignIns
    package let emailLinkSignIns: EmailLinkSignIns
    package let customTokenSignIns: CustomTokenSignIns
    package let federatedSignIns: FederatedSignIns
    package let providerIssuers: ProviderIssuers

    package let authorizationRequests: AuthorizationRequests
    package let browserSessions: BrowserSessions
    package let clientSessions: ClientSessions
    package let clientTokens: ClientTokens
    package let clientAssertions: ClientAssertions
    package let profileEdits: ProfileEdits

    package let accessTokens: AccessTokens
    package let sessionCookies: SessionCookies
    package let administration: AccountAdministration
    package let lists: AccountLists
    package let probes: OperatorProbes
    package let addressHashes: AddressHashes

    package let idTokens: IDTokens
    package let codes: ActionCodes
    package let codeMails: ActionCodeMails
    package let limits: RateLimits
    /// Counts sign-ins, also those that end before a rule is asked.
    package let signIns: SignInMetrics

    /// - Parameters:
    ///   - publicURL: the server's own address, for links in mails and for projects whose tokens name Gatehouse as issuer.
    ///   - outbox: that of `deliveries`; `nil` where no way of mail is configured; then no mail is sent.
    ///   - refusals: logs and counts refused attempts; shared by all loops.
    ///   - signIns: counts sign-ins; shared by all loops.
    package init(
        database: Database, masterKey: MasterKey, clock: Clock, publicURL: String, signingKeys: SigningKeys, passwords: PasswordHashing,
        deliveries: Deliveries, outbox: Outbox?, refusals: Refusals, signIns: SignInMetrics
    ) {
        let storage = Storage(database: database)
        let passwords = Passwords(hashing: passwords)
        let addressHashes = AddressHashes(masterKey: masterKey)
        let completion = SignInCompletion(
            storage: storage, metrics: signIns, refusals: refusals, addressHashes: addressHashes, clock: clock, tokenKey: masterKey.tokenKey
        )
        let limits = RateLimits(database: database, clock: clock, refusals: refusals)
        let directory = AccountDirectory(storage: storage)
        let idTokens = IDTokens(storage: storage, clock: clock, publicURL: publicURL, signingKeys: signingKeys, limits: limits)
        let codeMails = ActionCodeMails(
            storage: storage, clock: clock, publicURL: publicURL, outbox: outbox, directory: directory, idTokens: idTokens,
            addressHashes: addressHashes)
        let notices = OwnerNotices(mails: codeMails, limits: limits)
        let codes = ActionCodes(
            storage: storage, clock: clock, directory: directory, passwords: passwords, mails: codeMails, notices: notices)

        self.directory = directory
        changes = AccountChanges(
            storage: storage, clock: clock, directory: directory, idTokens: idTokens, passwords: passwords, notices: notices,
            completion: completion)
        deletion = AccountDeletion(storage: storage, clock: clock, idTokens: idTokens)
        signUps = SignUps(clock: clock, limits: limits, passwords: passwords, completion: completion)
        passwordSignIns = PasswordSignIns(clock: clock, limits: limits, passwords: passwords, completion: completion)
        emailLinkSignIns = EmailLinkSignIns(clock: clock, codes: codes, idTokens: idTokens, notices: notices, completion: completion)
        customTokenSignIns = CustomTokenSignIns(clock: clock, limits: limits, completion: completion)
        federatedSignIns = FederatedSignIns(
            storage: storage, holders: IdentityHolders(storage: storage), clock: clock, notices: notices, completion: completion,
            tokens: ProviderTokenStore(storage: storage, masterKey: masterKey, clock: clock))
        providerIssuers = ProviderIssuers(database: database)
        authorizationRequests = AuthorizationRequests(
            storage: storage, clock: clock, completion: completion,
            emailCodes: EmailCodes(key: masterKey.emailCodes, outbox: outbox), codes: codes, limits: limits)
        browserSessions = BrowserSessions(storage: storage, masterKey: masterKey, clock: clock, deliveries: deliveries)
        clientSessions = ClientSessions(storage: storage, masterKey: masterKey, clock: clock, signingKeys: signingKeys)
        clientTokens = ClientTokens(clock: clock, signingKeys: signingKeys)
        clientAssertions = ClientAssertions(storage: storage)
        profileEdits = ProfileEdits(storage: storage)
        accessTokens = AccessTokens(
            storage: storage, keys: masterKey.accessTokens, clock: clock, limits: limits, tokenURI: KeyFile.tokenURI(publicURL))
        sessionCookies = SessionCookies(storage: storage, clock: clock, idTokens: idTokens)
        administration = AccountAdministration(storage: storage, clock: clock, directory: directory, passwords: passwords)
        lists = AccountLists(storage: storage)
        probes = OperatorProbes(masterKey: masterKey, clock: clock)
        self.addressHashes = addressHashes
        self.idTokens = idTokens
        self.codes = codes
        self.codeMails = codeMails
        self.limits = limits
        self.signIns = signIns
    }
}
