import Config
import HTTP
import Identity
import JSON
import Text

extension Provider {
    /// Twitter (now X), by OAuth 1.0a, as Firebase does it.
    ///
    /// Differs from the standard: errors have numbers, in JSON or XML; a plan of the app at X may leave out the call that says who signed
    /// in. <https://docs.x.com/x-for-websites/log-in-with-x/guides/implementing-sign-in-with-x>
    static let twitter = Provider(
        id: "twitter.com", name: "Twitter", scopes: [], protocol: { .oauth1(Twitter($0, allowInsecure: $1)) })
}

/// The rules of Twitter. A person is identified by the number of the account: a user name can be changed, and then taken by another person.
struct Twitter: OAuth1Provider {
    let apiBase: String

    /// The same at both addresses of the API, so that an operator can move from one to the other.
    var storedIssuer: String { apiBase == "https://api.x.com" ? "https://api.twitter.com" : apiBase }
    var requestTokenEndpoint: String { "\(apiBase)/oauth/request_token" }
    /// Unlike `authorize`, it does not ask a person again who has approved the app before.
    var authorizationEndpoint: String { "\(apiBase)/oauth/authenticate" }
    var accessTokenEndpoint: String { "\(apiBase)/oauth/access_token" }

    /// <https://developer.x.com/en/docs/x-api/v1/accounts-and-users/manage-account-settings/api-reference/get-account-verify_credentials>
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        guard let token = evidence.accessToken, let secret = evidence.accessTokenSecret else {
            throw .invalidCredential("The credential has no access token with its secret.")
        }
        let query = "include_email=true&include_entities=false&skip_status=true"
        let answer = try await api.answer(
            toSigned: .get, "\(apiBase)/1.1/account/verify_credentials.json?\(query)", token: OAuth1Token(token: token, secret: secret))
        let detail = "profile: status \(answer.status), codes \(Self.codes(answer).sorted())"
        if let reason = unfitness(in: answer) { throw .unfit("\(detail): \(reason)") }
        switch answer.status {
        case 200: break
        case 401, 403: throw .invalidResponse("The access token was not issued to this app, or is not valid any more.", detail: detail)
        default: throw .invalidResponse("The provider does not say who signed in.", detail: detail)
        }
        // `id` is the same as a number, which many readers round.
        guard let user = answer.json, let id = user.text("id_str", limit: 20), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: no id_str")
        }
        var identity = evidence.identity(subject: id.asString, rawUserInfo: answer.text)
        identity.displayName = user.text("name")?.asString
        identity.screenName = user.text("screen_name")?.asString
        identity.photoURL = user.url("profile_image_url_https")
        // Only for an app that X lets ask for it. Firebase never counts it as verified.
        identity.email = user.text("email", limit: 254).flatMap { EmailDomain.of($0) == nil ? nil : $0.asString }
        return identity
    }

    /// <https://developer.x.com/en/support/x-api/error-troubleshooting>
    func unfitness(in answer: ProviderAPI.Answer) -> String? {
        let codes = Self.codes(answer)
        if codes.contains(453) {
            return "The plan of this app at X does not include this call (code 453); another plan, or a project around the app, is needed."
        }
        if codes.contains(415) || codes.contains(417) { return "The callback URL is not registered with the app at X (code 415 or 417)." }
        return codes.contains(135) ? "The clock of this server is wrong (code 135)." : nil
    }

    /// The numbers of the errors in an answer: `{"errors": [{"code": 32}]}` or `<error code="32">`.
    private static func codes(_ answer: ProviderAPI.Answer) -> Set<Int64> {
        if let errors = answer.json?["errors"]?.array { return Set(errors.compactMap { $0["code"]?.integer }) }
        let parts = answer.status == 200 ? [] : answer.text.utf8.split(separator: UInt8(ascii: "\""))
        return Set(
            zip(parts, parts.dropFirst()).compactMap { name, value in
                name.suffix(5).elementsEqual("code=".utf8) ? Int64(String(Substring(value))) : nil
            })
    }
}

extension Twitter {
    init(_ section: Section, allowInsecure: Bool) {
        apiBase = section.baseURL("apiBase", default: "https://api.twitter.com", allowInsecure: allowInsecure)
    }
}
