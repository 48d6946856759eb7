import Accounts
import Crypto
import HTTP
import Identity
import JSON
import Logging
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Text

@testable import Brokerage
@testable import Providers

extension FakeIssuer {
    /// The entry `oidc.test`, with changes.
    func settings(_ change: (inout ProviderSettings) -> Void = { _ in }) -> ProviderSettings {
        var settings = ProviderSettings(
            id: "oidc.test", name: "Test", clientID: clientID, clientSecret: Secret(clientSecret), scopes: ["openid"],
            protocol: .openIDConnect(OpenIDConnect(issuer: issuer, asksUserInfo: false)))
        change(&settings)
        return settings
    }

    func provider() -> ConfiguredProvider {
        ConfiguredProvider(settings(), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: Clock { FakeIssuer.now })
    }
}

/// Brokerage with an issuer that is a table of answers, on a database of its own.
struct Fixture {
    let issuer: FakeIssuer
    let database: Database
    let brokerage: Brokerage
    /// Where sign-ins are counted.
    let metrics = Metrics()
    let settings = ProjectSettings(
        id: "demo", number: 100_000_000_001, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [Fixture.page])

    /// The app's own page, and the secret that it keeps.
    static let page = "https://app.example.com/cb"
    static let verifier: UTF8Text = "verifier-verifier-verifier-verifier-verifier"

    init() async throws {
        issuer = try FakeIssuer()
        let clock = Clock { FakeIssuer.now }
        let masterKey = MasterKey(bytes: Array(1...32))
        database = try TestDatabase.open(try await TestDatabase.make())
        let hashing = HashingPool(threads: 1, queue: 1, metrics: Metrics())
        let signIns = SignInMetrics(metrics)
        signIns.begin(project: "demo", providers: [], methods: [])
        let accounts = Accounts(
            database: database, masterKey: masterKey, clock: clock, publicURL: "https://gatehouse.example", signingKeys: SigningKeys(),
            passwords: PasswordHashing(pool: hashing, parameters: ScryptParameters(log2N: 4)),
            deliveries: Deliveries(database: database, masterKey: masterKey, clock: clock), sendsMail: false,
            refusals: Refusals(metrics: Metrics(), log: TestDatabase.silent), signIns: SignInLog(signIns, metrics: metrics),
            log: TestDatabase.silent)
        brokerage = Brokerage(
            accounts: accounts, upstream: issuer.upstream, metadata: MetadataCache(earlier: { .zero }), metrics: metrics, clock: clock)
        try await ProviderIssuers(database: database).pin([
            ProviderIssuers.Entry(projectID: "demo", providerID: "oidc.test", issuer: issuer.issuer)
        ])
    }

    /// The project with the entry `oidc.test`, or with another one, or with none.
    func broker(_ provider: ProviderSettings?) -> BrokeredProject {
        brokerage.project(
            settings, providers: provider.map { [UTF8Text($0.id): $0] } ?? [:], named: provider.map { [UTF8Text($0.id)] } ?? [],
            from: Session.ClientInfo(userAgent: "test", address: "127.0.0.1"), log: TestDatabase.silent)
    }

    var broker: BrokeredProject { broker(issuer.settings()) }

    static func start(_ kind: SignInFlow.Kind, sdkRequest: SDKRequest? = nil) -> SignInStart {
        SignInStart(
            providerID: "oidc.test", kind: kind, sessionHash: SessionBinding.hash(atRedemption: verifier.asString),
            redirectURI: FakeIssuer.handler,
            returnURL: kind == .client ? nil : page, sdkRequest: sdkRequest)
    }

    func begin(_ kind: SignInFlow.Kind = .web, sdkRequest: SDKRequest? = nil) async throws -> BegunSignIn {
        try await broker.begin(Self.start(kind, sdkRequest: sdkRequest), at: issuer.settings(), scopes: [])
    }

    /// The issuer's answer to a sign-in: a code that its token endpoint takes once, for the verifier and with the nonce of that sign-in.
    func answer(to begun: BegunSignIn, adding more: [(name: UTF8Text, value: UTF8Text)] = []) throws -> ProviderAnswer {
        let secrets = begun.started.flow.secrets
        issuer.redeems(challenge: secrets.codeChallenge, for: try issuer.token(["nonce": .string(secrets.nonce)]))
        let state = UTF8Text(begun.started.state.text)
        return try ProviderAnswer(Form([(name: "code", value: "code-1"), (name: "state", value: state)] + more))
    }

    /// Takes the answer as the page of the handler does, and gives the one-time code.
    func take(_ answer: ProviderAnswer, _ begun: BegunSignIn) async throws -> OneTimeCode? {
        guard let flow = try await brokerage.flow(waitingFor: answer) else { return nil }
        let returned = try await broker.receive(answer, for: flow, cookie: begun.started.cookie ?? "")
        try await broker.record(returned)
        guard case .succeeded(let code) = returned.outcome else { return nil }
        return code
    }

    func redeem(_ code: OneTimeCode, _ begun: BegunSignIn) async throws -> ProvenSignIn {
        try await broker.redeem(
            UTF8Text(code.text), of: FlowID(bytes: begun.started.flow.id), sessionID: Self.verifier, page: UTF8Text(Self.page),
            isHandler: false)
    }

    func signIn(_ proven: ProvenSignIn) async throws -> FederatedSignIn {
        try await broker.signIn(
            with: proven, .signIn(mayCreate: true), language: "en", from: Session.ClientInfo(userAgent: "test", address: "192.0.2.1"))
    }

    func status(of begun: BegunSignIn) async throws -> String? {
        let rows = try await database.query("SELECT status FROM sign_in_flows WHERE flow_id = \(begun.started.flow.id)")
        return try rows.first?.value()
    }

    /// The lines of the metric of sign-ins.
    var counted: [String] { metrics.lines(of: "gatehouse_sign_ins_total") }
}

/// The error of what must not succeed.
func refusal<T>(_ work: () async throws -> T) async -> BrokerageError? {
    do {
        _ = try await work()
        return nil
    } catch { return error as? BrokerageError }
}

extension BrokerageError {
    /// The name of its case.
    var name: String {
        if case .at(_, _, let error) = self { return error.name }
        return String("\(self)".prefix { $0 != "(" })
    }
}
