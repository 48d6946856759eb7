import Config
import HTTP
import Identity
import JSON
import Text

/// The rules of Twitter by OAuth 2.0.
///
/// Differs from the standard: the profile is wrapped in `data`; a problem of the app's plan is a type or a reason in an answer with
/// status 402 or 403. An access token does not say which app it was issued to, so none is accepted alone. Apps may post tokens of
/// OAuth 1.0a, where the entry has the consumer keys.
/// <https://docs.x.com/resources/fundamentals/authentication/oauth-2-0/authorization-code>
struct TwitterOAuth2: OAuth2Provider {
    let apiBase: String
    let endpoints: OAuth2Endpoints
    let nativeOAuth1: OAuth1Client?

    var storedIssuer: String { Twitter.storedIssuer(of: apiBase) }

    /// X says so of a used code and of a dead refresh token, too.
    var endedGrantErrors: Set<UTF8Text> { ["invalid_grant", "invalid_request"] }

    /// <https://docs.x.com/x-api/users/get-my-user>
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        guard let accessToken = evidence.accessToken else { throw .invalidCredential("The credential has no access token.") }
        let fields = "id,name,username,confirmed_email,profile_image_url,url,created_at"
        let answer = try await api.get("\(apiBase)/2/users/me?user.fields=\(fields)", bearer: accessToken)
        let problem = Self.problem(answer)
        let detail = "profile: status \(answer.status)" + (problem.map { ", problem \(UpstreamText.name($0))" } ?? "")
        if answer.status == 402 || problem.map(Self.problemsOfTheApp.contains) ?? false {
            throw .unfit(
                "\(detail): The app at X may not make this call; see its project, its plan and its credits in the developer console.")
        }
        guard answer.status == 200, let user = answer.json?["data"], user.object != nil else {
            throw .invalidResponse("The provider does not say who signed in.", detail: detail)
        }
        let profile = Self.profile(user)
        return try Twitter.identity(of: profile, profile.text(), evidence)
    }

    /// The problems that only the operator can mend. <https://docs.x.com/x-api/fundamentals/response-codes-and-errors>
    private static let problemsOfTheApp: Set<UTF8Text> = [
        "client-forbidden", "client-not-enrolled", "credits", "unsupported-authentication", "usage-capped",
    ]

    /// The name of a problem: its reason, or else the end of the address of its type.
    private static func problem(_ answer: ProviderAPI.Answer) -> UTF8Text? {
        answer.json?.text("reason")
            ?? answer.json?.text("type").flatMap { type in
                type.utf8.split(separator: UInt8(ascii: "/")).last.map { UTF8Text($0) }
            }
    }

    /// The profile, and its fields by the names of API 1.1 too, so that an app finds them in one place by either protocol.
    private static func profile(_ user: JSON) -> JSON {
        let names: [(UTF8Text, UTF8Text)] = [
            ("id", "id_str"), ("username", "screen_name"), ("profile_image_url", "profile_image_url_https"), ("confirmed_email", "email"),
        ]
        var profile = user.object ?? [:]
        for (name, former) in names { profile[former] = user.present(name) }
        return .object(profile)
    }
}

extension TwitterOAuth2 {
    init(_ section: Section, allowInsecure: Bool) {
        let baseURL = section.baseURL("baseURL", default: "https://x.com", allowInsecure: allowInsecure)
        apiBase = Twitter.apiBase(section, default: "https://api.x.com", allowInsecure: allowInsecure)
        endpoints = OAuth2Endpoints(authorization: "\(baseURL)/i/oauth2/authorize", token: "\(apiBase)/2/oauth2/token")
        nativeOAuth1 = OAuth1Client(section, TwitterOAuth1(apiBase: apiBase))
    }
}
