import Crypto
import Curl
import HTTP
import Identity
import Runtime
import Text

/// The signature of one request by HMAC-SHA1, with which the client proves itself, and the person's token.
/// <https://www.rfc-editor.org/rfc/rfc5849#section-3.4>
struct OAuth1Signature {
    let method: Method
    let url: URI
    /// The parameters of the `Authorization` header without the signature, and those of a form in the body. The query is in `url`.
    let parameters: [(name: String, value: String)]

    /// The text that is signed.
    var baseString: String {
        let query = Form(url.query ?? "")?.fields.map { (name: $0.name.asString, value: $0.value.asString) } ?? []
        let pairs = (parameters + query).map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
        // Encoded texts are ASCII, which Swift sorts by its bytes as the standard wants.
        let normalized = pairs.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return [method.name, url.origin + url.path, normalized].map(PercentEncoding.encode).joined(separator: "&")
    }

    /// - Parameter tokenSecret: empty in a request without a token.
    func signed(clientSecret: String, tokenSecret: String) -> String {
        let key = "\(PercentEncoding.encode(clientSecret))&\(PercentEncoding.encode(tokenSecret))"
        return Base64.encode(Digest.hmacSHA1(key: Array(key.utf8), Array(baseString.utf8)))
    }
}

extension ProviderAPI {
    /// The answer to a request that our client signs, and the token that it has for a person or for the start of a sign-in.
    ///
    /// - Parameter parameters: those of the step, besides the ones that every signed request has.
    func answer(
        toSigned method: Method, _ url: String, _ parameters: [(name: String, value: String)] = [], token: OAuth1Token? = nil
    ) async throws(ProviderError) -> Answer {
        guard let uri = URI.parse(url) else { throw .unfit("The address \(url) is not a URL.") }
        var fields = [
            (name: "oauth_consumer_key", value: clientID), (name: "oauth_nonce", value: Hex.encode(Random.bytes(16))),
            (name: "oauth_signature_method", value: "HMAC-SHA1"), (name: "oauth_timestamp", value: "\(clock.now().seconds)"),
            (name: "oauth_version", value: "1.0"),
        ]
        if let token { fields.append((name: "oauth_token", value: token.token.asString)) }
        fields += parameters
        let signature = OAuth1Signature(method: method, url: uri, parameters: fields)
            .signed(clientSecret: clientSecret?.reveal() ?? "", tokenSecret: token?.secret.asString ?? "")
        fields.append((name: "oauth_signature", value: signature))
        let header = fields.map { "\(PercentEncoding.encode($0.name))=\"\(PercentEncoding.encode($0.value))\"" }.joined(separator: ", ")
        return try await answer(
            to: OutboundRequest(method, url, headers: ["authorization": "OAuth \(header)"], body: method == .post ? [] : nil))
    }
}
