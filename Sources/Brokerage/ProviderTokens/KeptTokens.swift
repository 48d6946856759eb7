import Accounts
import Providers
import Runtime

/// Chooses which of a provider's tokens are kept for back ends.
extension ProviderTokens {
    /// The tokens that came with a sign-in; `nil` without an access token, and for tokens that an app posted. Those say neither whose they
    /// are nor when they end: a back end that trusts them could be made to act for another person.
    ///
    /// - Parameter time: when the provider gave them.
    init?(_ result: ProviderResult, at time: Instant) {
        guard let grant = result.grant, let accessToken = result.accessToken else { return nil }
        self.init(
            accessToken: accessToken, accessTokenSecret: result.accessTokenSecret, expires: result.expiresIn.map { time + .seconds($0) },
            renewal: result.refreshToken.map { Renewal(refreshToken: $0, clientID: grant.clientID, tenant: grant.tenant) })
    }

    /// Newer tokens. A provider that gives no other refresh token means the former one to be used again.
    init(_ renewed: RenewedTokens, of former: Renewal, at time: Instant) {
        self.init(
            accessToken: renewed.accessToken, expires: renewed.expiresIn.map { time + .seconds($0) },
            renewal: renewed.refreshToken.map { Renewal(refreshToken: $0, clientID: former.clientID, tenant: former.tenant) })
    }
}
