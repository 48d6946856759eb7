import Accounts
import Brokerage
import Curl
import Migration
import Postgres
import Projects
import Web

extension ProcessContext {
    /// The parts that answer requests, on connections of one loop: to a database and to other servers.
    ///
    /// - Parameter readiness: throws the reason when requests cannot be served.
    func services(
        on database: Database, _ client: HTTPClient, readiness: @escaping @Sendable () async throws -> Void
    ) -> Services {
        let googleTokens = GoogleTokens(upstream: client, cache: providerMetadata, clock: clock)
        let googleAccounts = GoogleAccounts(upstream: client, shared: firebaseBridge, clock: clock)
        let accounts = Accounts(
            database: database, masterKey: settings.masterKey, clock: clock, publicURL: settings.publicURL,
            signingKeys: signingKeys, passwords: passwords, deliveries: deliveries(database),
            sendsMail: settings.mail != nil, refusals: refusals, signIns: signIns, formerTokens: googleTokens,
            formerSecondFactors: GoogleSecondFactors(tokens: googleTokens, upstream: client, shared: firebaseBridge, clock: clock),
            formerAccounts: JustInTimeImports.Source(googleAccounts, shared: justInTime), hooks: hooks(by: client), log: log)
        return Services(
            accounts: accounts,
            brokerage: Brokerage(accounts: accounts, upstream: client, metadata: providerMetadata, metrics: metrics, clock: clock),
            firebaseBridge: FirebaseBridge(
                accounts: accounts, tokens: googleTokens, upstream: client, shared: firebaseBridge, clock: clock),
            captcha: CaptchaCheck(accounts.captchaTokens, upstream: client, clock: clock, metrics: metrics),
            projects: projects, tenants: tenants,
            site: Site(publicURL: settings.publicURL, development: settings.development), metrics: metrics, clock: clock, log: log,
            readiness: readiness, description: { try ServedCalls.description() })
    }
}
