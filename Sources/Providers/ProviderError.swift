import Curl
package import Text

/// The reason why a sign-in with an upstream provider failed. The public text may be shown to the person; the detail is for the log.
/// Neither contains a token, a secret or personal data.
package enum ProviderError: Error, Sendable, Equatable {
    /// A custom parameter or a scope that may not be sent.
    case badParameter(String)
    /// The provider's answer proves nothing.
    case invalidResponse(String, detail: String)
    /// The provider accepted this server as its client, and refused the code or the refresh token: by the standard it is unknown, used or
    /// expired.
    case grantRefused(String, detail: String)
    /// The provider does not accept this server as its client, and says so by the name `error`. Only the operator can mend it.
    case clientRefused(String, error: UTF8Text, detail: String)
    /// The provider and its entry in the configuration do not fit: another issuer's metadata, an endpoint that may not be used. Only the
    /// operator can mend it.
    case misconfigured(String, detail: String)
    /// The provider does not answer, or answers that it cannot now; the person has done nothing wrong.
    case unavailable(detail: String)
    /// The ID token's nonce is missing, unexpected or different.
    case nonce
    /// The app did not post a valid credential.
    case invalidCredential(String)
    /// The person declined.
    case denied(String)

    /// The error for an `error` with which a provider sent the browser back. Descriptions are never shown, since any person can write one
    /// into a link.
    /// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1>
    package static func callback(_ error: UTF8Text, description: UTF8Text?) -> ProviderError {
        let name = UpstreamText.name(error)
        if description?.contains("AADB2C90118") == true { return .denied("The person asked to reset the password.") }
        let refusals: [UTF8Text] = ["access_denied", "user_cancelled_authorize", "user_cancelled_login", "user_denied"]
        if refusals.contains(error) { return .denied("The sign-in was cancelled at the provider.") }
        let codes = UpstreamText.codes(description ?? "")
        let detail = ([name] + codes).joined(separator: " ")
        if error == "temporarily_unavailable" { return .unavailable(detail: "callback with error \(detail)") }
        return .invalidResponse("The provider answered \(name).", detail: "callback with error \(detail)")
    }

    /// The provider and its entry do not fit.
    static func unfit(_ detail: String) -> ProviderError {
        .misconfigured("The provider does not work as configured.", detail: detail)
    }

    /// `server` gave no answer that can be read: it is down, or the operator must mend its address.
    static func unanswered(_ server: String, _ error: OutboundError) -> ProviderError {
        let detail = "\(server) \(OutboundText.reason(error))."
        return error.isOutage ? .unavailable(detail: detail) : .unfit(detail)
    }

    /// The text for the log.
    package var logDetail: String {
        switch self {
        case .badParameter(let text): text
        case .invalidResponse(let reason, let detail), .grantRefused(let reason, let detail), .misconfigured(let reason, let detail),
            .clientRefused(let reason, _, let detail):
            "\(reason) \(detail)"
        case .unavailable(let detail): "The provider does not answer. \(detail)"
        case .nonce: "The nonce does not fit."
        case .invalidCredential(let text): text
        case .denied(let text): text
        }
    }
}

/// Cleans text from a provider for an answer or a log line.
enum UpstreamText {
    /// An error name such as `invalid_grant`; a name with other characters than letters, digits, `_`, `-` and `.` becomes "an error".
    static func name(_ text: UTF8Text) -> String { isName(text) ? text.asString : "an error" }

    static func isName(_ text: UTF8Text) -> Bool {
        let fits = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: true
            default: false
            }
        }
        return fits && !text.isEmpty && text.utf8.count <= 64
    }

    /// Microsoft's error codes in a description, which may also contain names and addresses: `AADSTS70008`, `AADB2C90088`.
    static func codes(_ description: UTF8Text) -> [String] {
        var codes: [String] = []
        for word in description.utf8.split(whereSeparator: { !(0x30...0x39).contains($0) && !(0x41...0x5A).contains($0) }) {
            let word = String(decoding: word, as: UTF8.self)
            for prefix in ["AADSTS", "AADB2C"] where word.hasPrefix(prefix) {
                let digits = word.dropFirst(prefix.count)
                if (1...10).contains(digits.count), digits.allSatisfy(\.isNumber), codes.count < 8 { codes.append(word) }
            }
        }
        return codes
    }

    /// At most 200 characters of visible ASCII, for values that name systems and never people: issuers, URLs, key ids.
    static func visible(_ text: UTF8Text?) -> String {
        guard let text else { return "none" }
        return String(decoding: text.utf8.prefix(200).map { (0x21...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
