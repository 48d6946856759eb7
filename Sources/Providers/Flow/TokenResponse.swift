import Curl
import JSON
import Text

/// The answer of a token endpoint. <https://www.rfc-editor.org/rfc/rfc6749#section-5>
struct TokenResponse {
    /// `nil` where the protocol has none.
    let idToken: UTF8Text?
    let accessToken: UTF8Text?
    let refreshToken: UTF8Text?
    /// In seconds. Azure AD B2C writes the number as a string.
    let expiresIn: Int?
    /// The fields of the standard that the answer has, for the log.
    private let fields: [UTF8Text]

    /// The grant that this server gave the endpoint for tokens.
    enum Grant: String {
        case code
        case refreshToken = "refresh token"
    }

    /// Makes the response of the implicit flow, which has no other token.
    init(idToken: UTF8Text) {
        (self.idToken, accessToken, refreshToken, expiresIn, fields) = (idToken, nil, nil, nil, ["id_token"])
    }

    /// `error` is checked first, whatever the status, since some providers answer 200 to a refused code.
    ///
    /// - Parameter rules: they name the errors that are about our client, or about the provider's own state, and not about the grant.
    init(_ response: OutboundResponse, to grant: Grant, _ rules: any ProviderRules) throws(ProviderError) {
        let json = try? JSON.parse(response.body)
        if let error = json?.present("error") { throw Self.refusal(error, of: grant, json, response.status, rules) }
        guard response.status < 500, response.status != 429 else { throw .unavailable(detail: "token endpoint: status \(response.status)") }
        guard (200...299).contains(response.status) else {
            let reason = "The provider did not redeem the \(grant.rawValue)."
            let detail = "token endpoint: status \(response.status)"
            // Some leave out the name of the error. The standard has this status for a bad code, and another one for a bad client.
            if grant == .code, response.status == 400 { throw .grantRefused(reason, detail: detail) }
            throw .invalidResponse(reason, detail: detail)
        }
        guard let json, json.object != nil else {
            throw .invalidResponse("The provider's answer cannot be read.", detail: "token endpoint: not a JSON object")
        }
        fields = ["id_token", "access_token", "refresh_token", "token_type", "scope"].filter { json[$0] != nil }
        idToken = json["id_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        accessToken = json.text("access_token", limit: ProviderResult.longestToken)
        refreshToken = json.text("refresh_token", limit: ProviderResult.longestToken)
        expiresIn = json.number("expires_in").flatMap { (0...315_360_000).contains($0) ? Int($0) : nil }
    }

    /// The error for an answer without a token that the protocol needs.
    func lacking(_ token: String) -> ProviderError {
        .invalidResponse("The provider sent no \(token).", detail: "token endpoint: only \(fields)")
    }

    /// Names the error, and for the log also codes and ids that Microsoft adds; never its description, which may name people.
    private static func refusal(
        _ answer: JSON, of grant: Grant, _ json: JSON?, _ status: Int, _ rules: any ProviderRules
    ) -> ProviderError {
        let error = name(of: answer)
        let name = UpstreamText.name(error)
        var detail = ["token endpoint: status \(status), error \(name)"]
        detail += UpstreamText.codes(json?["error_description"]?.string ?? "")
        detail += (json?["error_codes"]?.array ?? []).prefix(8).compactMap { $0.integer.map { "code \($0)" } }
        for id: UTF8Text in ["suberror", "trace_id", "correlation_id"] {
            if let value = json?[id]?.string { detail.append("\(id) \(UpstreamText.name(value))") }
        }
        if status >= 500 || status == 429 || rules.outageErrors.contains(error) {
            return .unavailable(detail: detail.joined(separator: " "))
        }
        let text = detail.joined(separator: " ")
        // By the standard, status 401 is about the client. Auth0 has another name for it, `access_denied`.
        if rules.clientErrors.contains(error) || status == 401 && !rules.endedGrantErrors.contains(error) {
            return .clientRefused("The provider does not accept this server as its client (\(name)).", error: error, detail: text)
        }
        // A refresh token that is taken for dead is deleted, so only these errors say it.
        if grant == .refreshToken, !rules.endedGrantErrors.contains(error) {
            return .misconfigured("The provider does not renew tokens for this client (\(name)).", detail: text)
        }
        return .grantRefused("The provider refused the \(grant.rawValue) (\(name)).", detail: text)
    }

    /// The name of an error. Some providers write an object in its place, with a number (Facebook's Graph).
    private static func name(of error: JSON) -> UTF8Text { error.string ?? error["code"]?.integer.map { "\($0)" } ?? "" }
}
