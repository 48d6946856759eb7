import Config
import Crypto
import HTTP
import Identity
import JSON
import Runtime
import Text

extension Provider {
    /// Facebook, by OAuth 2.0; and the ID tokens of its Limited Login, which apps on Apple's systems post.
    ///
    /// Differs from the standard: errors are objects with numbers, in the token endpoint, too; each call of Graph proves that our app makes
    /// it; the answer to a sign-in has a fragment.
    /// <https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow>
    static let facebook = Provider(
        id: "facebook.com", name: "Facebook", scopes: ["public_profile", "email"], clientAuthentication: .post, hasOwnCallback: true,
        // https://about.meta.com/brand/resources/facebook/logo/
        button: ButtonStyle(mark: mark, light: .init("#ffffff", on: "#0866ff")),
        protocol: { .oauth2(Facebook($0, allowInsecure: $1)) })

    /// The letter in a circle, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" d="M14 23.83A12 12 0 1 0 10 23.83V15.5H7V12H10V9.4C10 6.4 11.8 4.7 14.5 4.7
        Q15.8 4.7 17.1 5V8H15.6C14.4 8 14 8.8 14 9.7V12H17.2L16.7 15.5H14Z"/>
        """#)
}

/// The rules of Facebook. A person is a number that is different for each app.
struct Facebook: OAuth2Provider {
    /// The address of the dialog, which is also the issuer of ID tokens.
    let baseURL: String
    let graphBase: String
    /// Facebook ends a version after about two years, and an app that asks for an ended one gets the oldest there is.
    private(set) var graphVersion = "v25.0"
    let endpoints: OAuth2Endpoints
    /// Those of Limited Login, where apps may post its ID tokens.
    private(set) var nativeIssuers: [any Issuer] = []

    var storedIssuer: String { baseURL }

    /// A wrong secret (1), an unknown app (101), an address that is not registered (191).
    var clientErrors: Set<UTF8Text> { ["1", "101", "191"] }
    var addressErrors: Set<UTF8Text> { ["191"] }

    /// The service is down (2), or a limit on requests is reached. <https://developers.facebook.com/docs/graph-api/guides/error-handling>
    var outageErrors: Set<UTF8Text> { ["2", "4", "17", "32", "341", "613"] }

    /// Asks which app the token was issued to, and to whom. Facebook answers with status 200 about a token of this app, good or not, and
    /// with error 100 about one of another app.
    /// <https://developers.facebook.com/docs/graph-api/reference/debug_token>
    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? {
        let own: UTF8Text = "\(api.clientID)|\(api.clientSecret?.reveal() ?? "")"
        let answer = try await ask("debug_token?input_token=\(PercentEncoding.encode(accessToken.asString))", token: own, api)
        guard Self.id(answer.json?["error"]?["code"]) != "100" else {
            throw .invalidResponse("The access token was not issued to this app.", detail: "token check: \(Self.detail(answer))")
        }
        guard answer.status == 200, let data = answer.json?["data"], data.object != nil else {
            throw .unfit(
                "Facebook's check of an access token does not work with clientId and clientSecret: \(Self.detail(answer)).")
        }
        guard data["is_valid"] == true else {
            throw .invalidResponse(
                "The access token was not issued to this app, or is not valid any more.",
                detail: "token check: not valid, code \(Self.id(data["error"]?["code"]) ?? "none")")
        }
        // A token of a page or of an app is not a person's.
        guard Self.id(data["app_id"]) == UTF8Text(api.clientID), data["type"] == "USER", Self.id(data["user_id"]) != nil else {
            throw .invalidResponse("The access token was not issued to this app for a person.", detail: "token check: another app or type")
        }
        return data
    }

    /// <https://developers.facebook.com/docs/graph-api/reference/user>
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        guard let accessToken = evidence.accessToken else { throw .invalidCredential("The credential has no access token.") }
        let answer = try await ask("me?fields=id,name,first_name,last_name,email,picture", token: accessToken, api)
        guard answer.status == 200, let user = answer.json, let id = Self.id(user["id"]) else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: \(Self.detail(answer))")
        }
        if let checked = evidence.claims["user_id"], Self.id(checked) != id {
            throw .invalidResponse("The access token belongs to another person.", detail: "profile and token check differ")
        }
        return identity(id, user, answer.text, evidence)
    }

    /// The person of a profile with Graph's names.
    ///
    /// A person without an address signs in, too: some have only a phone number, and each may keep the address from the app. Firebase never
    /// counts it as verified. The picture's own address in a profile ends after some days, so Firebase gives one that stays.
    func identity(_ id: UTF8Text, _ user: JSON, _ text: String, _ evidence: Evidence) -> ProviderIdentity {
        var identity = evidence.identity(subject: id.asString, rawUserInfo: text)
        identity.displayName = user.text("name")?.asString
        identity.firstName = user.text("first_name")?.asString
        identity.lastName = user.text("last_name")?.asString
        identity.photoURL = "\(graphBase)/\(id)/picture"
        identity.email = evidence.address(user["email"]?.string)?.asString
        return identity
    }

    /// Asks Graph with a token, and with the proof that it is our app that asks: the token alone may be stolen.
    /// <https://developers.facebook.com/docs/graph-api/guides/secure-requests>
    private func ask(_ path: String, token: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> ProviderAPI.Answer {
        let proof = Hex.encode(Digest.hmacSHA256(key: Array((api.clientSecret?.reveal() ?? "").utf8), Array(token.utf8)))
        let answer = try await api.get("\(graphBase)/\(graphVersion)/\(path)&appsecret_proof=\(proof)", bearer: token)
        if let code = Self.id(answer.json?["error"]?["code"]), outageErrors.contains(code) {
            throw .unavailable(detail: "Graph: \(Self.detail(answer))")
        }
        return answer
    }

    /// The number of a person, an app or an error, which Facebook writes as a text or as a number; `nil` for anything else.
    static func id(_ json: JSON?) -> UTF8Text? {
        let text = json?.string ?? json?.integer.map { "\($0)" }
        return text.flatMap { (1...32).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? $0 : nil }
    }

    /// Status and numbers of an answer, for the log; never its message, which may name people.
    private static func detail(_ answer: ProviderAPI.Answer) -> String {
        guard let error = answer.json?["error"] else { return "status \(answer.status)" }
        let numbers = (["code", "error_subcode"] as [UTF8Text]).compactMap { name in id(error[name]).map { "\(name) \($0)" } }
        let trace = error["fbtrace_id"]?.string.map { ["trace \(UpstreamText.name($0))"] } ?? []
        return (["status \(answer.status)"] + numbers + trace).joined(separator: ", ")
    }
}

extension Facebook {
    init(_ section: Section, allowInsecure: Bool) {
        graphVersion = section.value("graphVersion", expected: "a version of Graph such as v25.0", Self.version) ?? graphVersion
        baseURL = section.baseURL("baseURL", default: "https://www.facebook.com", allowInsecure: allowInsecure)
        graphBase = section.baseURL("graphBase", default: "https://graph.facebook.com", allowInsecure: allowInsecure)
        endpoints = OAuth2Endpoints(
            authorization: "\(baseURL)/\(graphVersion)/dialog/oauth", token: "\(graphBase)/\(graphVersion)/oauth/access_token")
        if section.has("authoritativeDomains") {
            section.note("authoritativeDomains", "has no effect, since Facebook does not say that an address is verified")
        }
        let takesIDTokens = section.bool("limitedLogin", default: true)
        // A second issuer, which the operator names.
        let another = section.url("limitedIssuer", allowInsecure: allowInsecure)
        if takesIDTokens {
            nativeIssuers = [baseURL, another].compactMap(\.self).map { LimitedLogin(issuer: $0, of: self, section) }
        } else if section.has("limitedIssuer") {
            section.fault("limitedIssuer", "needs limitedLogin: true, since it names an issuer of tokens that only Limited Login has")
        }
    }

    /// `v` and two numbers.
    private static func version(_ text: String) -> String? {
        let numbers = text.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let fits = numbers.allSatisfy { number in (1...3).contains(number.count) && number.allSatisfy { (0x30...0x39).contains($0) } }
        return text.hasPrefix("v") && numbers.count == 2 && fits ? text : nil
    }
}
