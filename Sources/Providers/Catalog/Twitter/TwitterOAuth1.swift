import Config
import HTTP
import Identity
import JSON
import Text

/// The rules of Twitter by OAuth 1.0a.
///
/// Differs from the standard: errors have numbers, in JSON or XML; a plan of the app at X may leave out the call that says who signed in.
/// <https://docs.x.com/x-for-websites/log-in-with-x/guides/implementing-sign-in-with-x>
struct TwitterOAuth1: OAuth1Provider {
    let apiBase: String
    let endpoints: OAuth1Endpoints

    init(apiBase: String) {
        self.apiBase = apiBase
        // Unlike `authorize`, `authenticate` does not ask a person again who has approved the app before.
        endpoints = OAuth1Endpoints(
            requestToken: "\(apiBase)/oauth/request_token", authorization: "\(apiBase)/oauth/authenticate",
            accessToken: "\(apiBase)/oauth/access_token")
    }

    init(_ section: Section, allowInsecure: Bool) {
        self.init(apiBase: Twitter.apiBase(section, default: "https://api.twitter.com", allowInsecure: allowInsecure))
    }

    var storedIssuer: String { Twitter.storedIssuer(of: apiBase) }

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
        guard let user = answer.json else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: not JSON")
        }
        return try Twitter.identity(of: user, answer.text, evidence)
    }

    /// <https://developer.x.com/en/support/x-api/error-troubleshooting>
    func unfitness(in answer: ProviderAPI.Answer) -> String? {
        let codes = Self.codes(answer)
        if codes.contains(453) {
            return "The plan of this app at X does not include this call (code 453). With protocol: oauth2, only tokens of OAuth 1.0a "
                + "that apps post need it."
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
