import Curl
import JSON
import Text

/// The answer of a token endpoint. <https://www.rfc-editor.org/rfc/rfc6749#section-5>
struct TokenResponse {
    let idToken: UTF8Text
    let accessToken: UTF8Text?
    let refreshToken: UTF8Text?
    /// In seconds. Azure AD B2C writes the number as a string.
    let expiresIn: Int?

    /// `error` is checked first, whatever the status, since some providers answer 200 to a refused code.
    init(_ response: OutboundResponse) throws(ProviderError) {
        let json = try? JSON.parse(response.body)
        if let error = json?.present("error") { throw Self.refusal(error.string ?? "", json, response.status) }
        guard response.status < 500 else { throw .unavailable(detail: "token endpoint: status \(response.status)") }
        guard (200...299).contains(response.status) else {
            throw .invalidResponse("The provider did not redeem the code.", detail: "token endpoint: status \(response.status)")
        }
        guard let json, json.object != nil else {
            throw .invalidResponse("The provider's answer cannot be read.", detail: "token endpoint: not a JSON object")
        }
        guard let idToken = json["id_token"]?.string, !idToken.isEmpty else {
            let others = (["access_token", "refresh_token", "token_type", "scope"] as [UTF8Text]).filter { json[$0] != nil }
            throw .invalidResponse("The provider sent no ID token.", detail: "token endpoint: only \(others)")
        }
        self.idToken = idToken
        accessToken = json.text("access_token", limit: 16_384)
        refreshToken = json.text("refresh_token", limit: 16_384)
        let expiry = json["expires_in"]?.integer ?? json["expires_in"]?.string.flatMap { Int64($0.asString) }
        expiresIn = expiry.flatMap { (0...315_360_000).contains($0) ? Int($0) : nil }
    }

    /// Names the error, and for the log also codes and ids that Microsoft adds; never its description, which may name people.
    private static func refusal(_ name: UTF8Text, _ json: JSON?, _ status: Int) -> ProviderError {
        let name = UpstreamText.name(name)
        var detail = ["token endpoint: status \(status), error \(name)"]
        detail += UpstreamText.codes(json?["error_description"]?.string ?? "")
        detail += (json?["error_codes"]?.array ?? []).prefix(8).compactMap { $0.integer.map { "code \($0)" } }
        for id: UTF8Text in ["suberror", "trace_id", "correlation_id"] {
            if let value = json?[id]?.string { detail.append("\(id) \(UpstreamText.name(value))") }
        }
        if status >= 500 { return .unavailable(detail: detail.joined(separator: " ")) }
        let isAboutClient = name == "invalid_client" || name == "unauthorized_client"
        return isAboutClient
            ? .misconfigured("The provider does not accept this server as its client (\(name)).", detail: detail.joined(separator: " "))
            : .invalidResponse("The provider refused the code (\(name)).", detail: detail.joined(separator: " "))
    }
}
