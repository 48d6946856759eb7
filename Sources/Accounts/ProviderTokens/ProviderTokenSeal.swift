import Crypto
import JSON
import Runtime
import Text

/// Seals the tokens of one identity. A sealed value opens in its own row and column alone.
struct ProviderTokenSeal {
    let keys: SealingKeys
    let owner: ProviderTokens.Owner

    /// The columns of `provider_tokens` that are sealed.
    struct Columns {
        let accessToken: [UInt8]
        let refreshToken: [UInt8]?
    }

    /// - Parameter column: `access_token` or `refresh_token`.
    static func context(_ column: String, of owner: ProviderTokens.Owner) -> String {
        let name = column == "access_token" ? "access token" : "refresh token"
        return "provider \(name) \(owner.projectID)/\(owner.accountID)/\(owner.providerID)"
    }

    private var ofAccess: String { Self.context("access_token", of: owner) }
    private var ofRefresh: String { Self.context("refresh_token", of: owner) }

    func seal(_ tokens: ProviderTokens) -> Columns {
        var access: JSON.Object = ["token": .string(UTF8Text(tokens.accessToken))]
        access["secret"] = tokens.accessTokenSecret.map { .string(UTF8Text($0)) }
        let refresh = tokens.renewal.map { renewal in
            var refresh: JSON.Object = ["token": .string(UTF8Text(renewal.refreshToken)), "client": .string(UTF8Text(renewal.clientID))]
            refresh["tenant"] = renewal.tenant.map { .string(UTF8Text($0)) }
            return keys.seal(JSON.object(refresh).bytes(), context: ofRefresh)
        }
        return Columns(accessToken: keys.seal(JSON.object(access).bytes(), context: ofAccess), refreshToken: refresh)
    }

    /// Throws `sealBroken` when no listed master key opens them, or when they are another row's.
    func open(_ columns: Columns, expires: Instant?) throws(AccountError) -> ProviderTokens {
        do {
            let access = try JSON.parse(try keys.open(columns.accessToken, context: ofAccess))
            let refresh = try columns.refreshToken.map { try JSON.parse(try keys.open($0, context: ofRefresh)) }
            guard let token = access["token"]?.string else { throw AccountError.sealBroken("a provider's token") }
            return ProviderTokens(
                accessToken: token.asString, accessTokenSecret: access["secret"]?.string?.asString, expires: expires,
                renewal: refresh.flatMap(Self.renewal))
        } catch { throw .sealBroken("a provider's token") }
    }

    private static func renewal(_ json: JSON) -> ProviderTokens.Renewal? {
        guard let token = json["token"]?.string, let client = json["client"]?.string else { return nil }
        return ProviderTokens.Renewal(
            refreshToken: token.asString, clientID: client.asString, tenant: json["tenant"]?.string?.asString)
    }
}
