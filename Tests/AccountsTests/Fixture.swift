@testable import Accounts
import Crypto
import Identity
import JOSE
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Text

/// The rules on a separate database, at a time that only the test moves.
struct Fixture {
    let database: Database
    let url: Secret
    let accounts: Accounts
    /// Cheap on purpose.
    let passwords: PasswordHashing
    let deliveries: Deliveries
    let outbox: Outbox
    let keys = SigningKeys()
    let signIns: SignInLog
    /// Counts the sign-ins and what is refused.
    let metrics = Metrics()
    let masterKey: MasterKey
    let time: TestTime
    var project = ProjectSettings(
        id: "demo", number: 100_000_000_001, apiKeys: ["key"], authorizedDomains: [], redirectURLs: ["https://app.example.com/cb"])

    /// - Parameters:
    ///   - formerTokens: verifies the tokens of the system that the people come from.
    ///   - formerAccounts: has the accounts of that system.
    ///   - formerSecondFactors: judges second factors as it does.
    ///   - hooks: answers for the hooks of projects.
    init(
        formerTokens: (any FormerTokens)? = nil, formerAccounts: (any FormerAccounts)? = nil,
        formerSecondFactors: (any FormerSecondFactors)? = nil, hooks: (any HookCaller)? = nil
    ) async throws {
        let time = TestTime()
        self.time = time
        masterKey = MasterKey(bytes: Array(1...32))
        url = try await TestDatabase.make()
        database = try TestDatabase.open(url)
        passwords = PasswordHashing(
            pool: HashingPool(threads: 2, queue: 1000, metrics: Metrics()), parameters: ScryptParameters(log2N: 4))
        deliveries = Deliveries(database: database, masterKey: masterKey, clock: time.clock, keepsDelivered: true)
        outbox = Outbox(deliveries)
        let counts = SignInMetrics(metrics)
        counts.begin(project: "demo", providers: [], methods: [])
        signIns = SignInLog(counts, metrics: metrics)
        accounts = Accounts(
            database: database, masterKey: masterKey, clock: time.clock, publicURL: "https://auth.example.com", signingKeys: keys,
            passwords: passwords, deliveries: deliveries, sendsMail: true,
            refusals: Refusals(metrics: metrics, log: TestDatabase.silent), signIns: signIns, formerTokens: formerTokens,
            formerSecondFactors: formerSecondFactors,
            formerAccounts: formerAccounts.map { [metrics] in
                JustInTimeImports.Source($0, shared: JustInTimeImports.Shared(metrics: metrics))
            },
            hooks: hooks, log: TestDatabase.silent)
        _ = try await KnownProjects(database: database).list(remembering: ["demo", "other"])
        try await ProviderIssuers(database: database).pin(
            ["demo", "other"].flatMap { project in
                ["oidc.acme", "oidc.a", "oidc.b", "oidc.lax", "oidc.strict", "microsoft.com"].map { provider in
                    ProviderIssuers.Entry(projectID: project, providerID: provider, issuer: Self.issuer)
                }
            })
    }

    var sessions: Sessions { accounts.sessions }
    var flows: SignInFlows { accounts.signIn.flows }
    var pendingTokens: PendingTokens { accounts.signIn.pendingTokens }

    /// The end of sign-ins alone, also with another master key.
    func completion(_ key: MasterKey? = nil) -> SignInCompletion {
        let (storage, key) = (Storage(database: database), key ?? masterKey)
        return SignInCompletion(
            storage: storage, log: SignInLog(SignInMetrics(metrics), metrics: metrics),
            refusals: Refusals(metrics: Metrics(), log: TestDatabase.silent),
            addressHashes: AddressHashes(masterKey: key), clock: time.clock, tokenKey: key.tokenKey,
            devices: RememberedDevices(storage: storage, key: key.rememberedDevices), lost: accounts.secondFactors.lost,
            deliveries: deliveries, hooks: SignInHooks(caller: nil, clock: time.clock))
    }

    /// The rules in another server process, on the same database.
    func otherProcess() throws -> Accounts {
        Accounts(
            database: try TestDatabase.open(url), masterKey: masterKey, clock: time.clock, publicURL: "https://auth.example.com",
            signingKeys: keys, passwords: passwords, deliveries: deliveries, sendsMail: true,
            refusals: Refusals(metrics: Metrics(), log: TestDatabase.silent),
            signIns: SignInLog(SignInMetrics(metrics), metrics: Metrics()),
            log: TestDatabase.silent)
    }

    /// The issuer of all providers in these tests.
    static let issuer = "https://issuer.example.com"

    /// A token of the account, issued now. Without a session it is like those of versions that did not name it in tokens.
    func token(_ account: Account, _ session: Session? = nil) -> IDToken {
        let now = time.clock.now()
        return IDToken(
            accountID: account.id, sessionID: session?.id, issued: now, expires: now + .seconds(3600), authTime: session?.authTime ?? now,
            signInProvider: session?.signInProvider ?? "test")
    }

    /// The operator of the project, by a command.
    var `operator`: Administrator { Administrator(command: "test", of: project) }

    var keyStore: SigningKeyStore { SigningKeyStore(database: database, masterKey: masterKey, clock: time.clock) }

    private static let signingKeys = SharedRows(tables: SigningKeyPurpose.allCases.map(\.table))

    /// Loads keys to sign tokens with. Call this before the time moves: all fixtures share the keys.
    func loadSigningKeys() async throws {
        try await Self.signingKeys.fill(database) { [keyStore] in try await keyStore.load(into: SigningKeys()) }
        try await keyStore.load(into: keys)
    }

    func signIn(
        _ identity: ProviderIdentity, _ intent: SignInIntent = .signIn(mayCreate: true), provenAt: Instant? = nil,
        tokens: ProviderTokens? = nil
    ) async throws -> (account: Account, session: Session, isNew: Bool) {
        let outcome = try await accounts.signIn.federated.signIn(
            with: ProvenIdentity(identity, provenAt: provenAt, tokens: tokens), intent, language: "en", in: project,
            from: Session.ClientInfo(userAgent: "test", address: "127.0.0.1"))
        guard case .signedIn(let account, let outcome, let isNew, _) = outcome else { throw Unexpected.outcome(outcome) }
        return (account, try outcome.session, isNew)
    }

    /// A sign-in of a browser that redeems it at `https://app.example.com/cb`, with the session id `s`.
    static let webStart = SignInStart(
        providerID: "oidc.acme", kind: .web, sessionHash: SessionBinding.hash(atRedemption: "s"), redirectURI: "https://a.example/cb",
        returnURL: "https://app.example.com/cb")

    /// A flow of `webStart` to which the provider has answered, and the code that redeems it.
    func answeredFlow(_ answer: [UInt8]) async throws -> (flow: SignInFlow, code: OneTimeCode) {
        let started = flows.prepare(Self.webStart, in: project)
        try await flows.store(started, Self.webStart)
        guard let cookie = started.cookie else { throw Unexpected.session }
        return (started.flow, try await recordReturn(of: started.flow, cookie: cookie, answer: answer))
    }

    /// The provider's answer to a flow, recorded.
    func recordReturn(
        of flow: SignInFlow, cookie: String, answer: [UInt8], event: [UInt8]? = nil
    ) async throws(AccountError) -> OneTimeCode {
        let code = OneTimeCode.random()
        try await flows.recordReturn(of: flow, code, cookie: cookie, answer: answer, event: event)
        return code
    }

    static func ada(_ provider: String = "oidc.acme", subject: String = "ada", email: String? = nil, authoritative: Bool = false)
        -> ProviderIdentity
    {
        ProviderIdentity(
            providerID: provider, issuer: issuer, subject: subject, email: email, emailVerified: authoritative,
            emailAuthoritative: authoritative,
            displayName: "Ada")
    }
}

enum Unexpected: Error {
    case outcome(FederatedSignIn)
    case pending(PendingSignIn)
    case session
}

extension Reseal.Outcome {
    /// The number of rows of a kind that were sealed again.
    func rows(_ sealed: SealedColumns) -> Int { resealed.first { $0.name == sealed.seal?.rowName }?.rows ?? 0 }
}

extension SignInOutcome {
    /// The session of a sign-in from which no further step is expected.
    var session: Session {
        get throws {
            switch self {
            case .session(let session): session
            case .pending(let pending): throw Unexpected.pending(pending)
            }
        }
    }
}

extension Refusals {
    /// Tells nothing.
    static var silent: Refusals { Refusals(metrics: Metrics(), log: TestDatabase.silent) }
}

extension Outbox {
    /// Leases mails, as the delivery worker does.
    func claim(
        _ limit: Int, in project: String
    ) async throws(AccountError) -> (mails: [LeasedDelivery<OutgoingMail>], unreadable: Int) {
        let (found, unreadable) = try await deliveries.claim(OutgoingMail.self, limit, in: project)
        return (found, unreadable)
    }
}
