import Config
import HTTP
import Identity
import JSON
import Text

extension Provider {
    /// GitHub and GitHub Enterprise Server, by OAuth 2.0.
    ///
    /// Differs from the standard: the token endpoint answers with status 200 to a refused code, and has names of its own for errors about
    /// the client; a person's addresses are not in the profile.
    /// <https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps>
    static let gitHub = Provider(
        id: "github.com", name: "GitHub", scopes: ["user:email"], clientAuthentication: .post, hasOwnCallback: true,
        // https://brand.github.com/foundations/logo
        button: ButtonStyle(mark: mark, light: .init("#ffffff", on: "#24292f"), dark: .init("#24292f", on: "#f6f8fa")),
        protocol: { .oauth2(GitHub($0, allowInsecure: $1)) })

    /// The cat in a circle, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" d="
        M15 23.6A12 12 0 1 0 9 23.6V20.9C6.3 21.5 5.6 20 5.2 19C4.9 18.3 4.4 17.8 3.9 17.4C4.8 17 5.9 17.6 6.4 18.5C7 19.4 7.7 19.8 9.1 19.3
        C9.2 18.6 9.5 18.1 9.9 17.8C7 17.4 4.6 16.2 4.6 11.9C4.6 10.6 5 9.5 5.8 8.7C5.6 8.2 5.3 7 5.9 5.4C5.9 5.4 7 5.1 9.2 6.6
        C11 6.1 13 6.1 14.8 6.6C17 5.1 18.1 5.4 18.1 5.4C18.7 7 18.4 8.2 18.2 8.7C19 9.5 19.4 10.6 19.4 11.9C19.4 16.2 17 17.4 14.1 17.8
        C14.7 18.3 15 19 15 20Z"/>
        """#)
}

/// The rules of GitHub. A person is identified by the number of the account: a user name can be changed, and then taken by another person.
struct GitHub: OAuth2Provider {
    let baseURL: String
    let apiBase: String
    /// Whether an address counts as verified when GitHub says so. Firebase never counts it as verified.
    let trustsEmail: Bool
    let endpoints: OAuth2Endpoints

    var storedIssuer: String { baseURL }

    /// <https://docs.github.com/apps/github-authentication-discovery-endpoints>
    var answerIssuer: String? { "\(baseURL)/login/oauth" }

    /// <https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors>
    var clientErrors: Set<UTF8Text> { ["incorrect_client_credentials", "redirect_uri_mismatch", "unauthorized_client"] }

    /// <https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens>
    var endedGrantErrors: Set<UTF8Text> { ["bad_refresh_token"] }

    /// Asks whether the token is one of our client's.
    /// <https://docs.github.com/rest/apps/oauth-applications#check-a-token>
    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? {
        let answer = try await api.post(
            "\(apiBase)/applications/\(PercentEncoding.encode(api.clientID))/token", ["access_token": .string(accessToken)])
        guard let json = answer.json, [200, 404, 422].contains(answer.status) else {
            throw .unfit("GitHub's check of an access token, below apiBase, answers with status \(answer.status).")
        }
        guard answer.status == 200 else {
            throw .invalidResponse(
                "The access token was not issued to this app, or is not valid any more.", detail: "token check: status \(answer.status)")
        }
        guard json["app"]?["client_id"]?.string == UTF8Text(api.clientID), Self.id(json["user"]) != nil else {
            throw .invalidResponse("The access token was not issued to this app.", detail: "token check: another client or no user")
        }
        return json
    }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        guard let accessToken = evidence.accessToken else { throw .invalidCredential("The credential has no access token.") }
        async let addresses = address(accessToken, api)
        let answer = try await api.get("\(apiBase)/user", bearer: accessToken)
        guard answer.status == 200, let user = answer.json, let id = Self.id(user) else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: status \(answer.status)")
        }
        if let checked = evidence.claims["user"], Self.id(checked) != id {
            throw .invalidResponse("The access token belongs to another person.", detail: "profile and token check differ")
        }
        var identity = evidence.identity(subject: id, rawUserInfo: answer.text)
        identity.displayName = user.text("name")?.asString
        identity.screenName = user.text("login")?.asString
        identity.photoURL = user.url("avatar_url")
        if let email = evidence.address(try await addresses.get()), EmailDomain.of(email)?.hasPrefix("users.noreply.") == false {
            identity.email = email.asString
            identity.emailVerified = trustsEmail
            identity.emailAuthoritative = trustsEmail && evidence.trustsDomain(of: email)
        }
        return identity
    }

    private static func id(_ user: JSON?) -> String? { user?["id"]?.integer.map { "\($0)" } }

    /// The person's main address, if it is verified; `nil` too when the app may not see addresses.
    /// <https://docs.github.com/rest/users/emails#list-email-addresses-for-the-authenticated-user>
    private func address(_ accessToken: UTF8Text, _ api: ProviderAPI) async -> Result<UTF8Text?, ProviderError> {
        do throws(ProviderError) {
            let answer = try await api.get("\(apiBase)/user/emails?per_page=100", bearer: accessToken)
            if [401, 403, 404].contains(answer.status) { return .success(nil) }
            guard answer.status == 200, let addresses = answer.json?.array else {
                throw .invalidResponse(
                    "The provider does not say which addresses the person has.", detail: "addresses: status \(answer.status)")
            }
            let primary = addresses.first { $0["primary"] == true && $0["verified"] == true }
            return .success(primary?["email"]?.string)
        } catch {
            return .failure(error)
        }
    }
}

extension GitHub {
    init(_ section: Section, allowInsecure: Bool) {
        baseURL = section.baseURL("baseURL", default: "https://github.com", allowInsecure: allowInsecure)
        apiBase = section.baseURL("apiBase", default: Self.api(of: baseURL), allowInsecure: allowInsecure)
        endpoints = OAuth2Endpoints(
            authorization: "\(baseURL)/login/oauth/authorize", token: "\(baseURL)/login/oauth/access_token")
        trustsEmail = section.choice("emailTrust", default: EmailTrust.never, among: [.never, .claim]) == .claim
        if !trustsEmail, section.has("authoritativeDomains") {
            section.fault("authoritativeDomains", "needs emailTrust: claim, since an address that is not verified joins no account")
        }
    }

    /// An Enterprise Server has its API below its own address, GitHub's own servers have it on a host beside theirs.
    private static func api(of baseURL: String) -> String {
        guard let host = URI.parse(baseURL)?.host, host == "github.com" || host.hasSuffix(".ghe.com") else { return "\(baseURL)/api/v3" }
        return "https://api.\(host)"
    }
}
