import Crypto
import Curl
import HTTP
import Runtime
import Text

/// Signs requests to Amazon's services: Signature Version 4.
/// <https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html>
struct AWSSignature: Sendable {
    let keyID: String
    let secret: Secret
    let region: String
    let service: String

    /// Adds the headers that sign the request. Its URL has no query, and its path is `/`.
    func sign(_ request: inout OutboundRequest, at time: Instant) {
        let stamp = InternetDate.basic(time)
        let day = String(stamp.prefix(8))
        let body = request.body ?? []
        let signed = [
            ("content-type", request.headers["content-type"]?.asString ?? ""), ("host", URI.parse(request.url)?.authority ?? ""),
            ("x-amz-date", stamp),
        ]
        let names = signed.map(\.0).joined(separator: ";")
        let canonical =
            (["POST", "/", ""] + signed.map { "\($0):\($1)" } + ["", names, Hex.encode(Digest.sha256(body))]).joined(separator: "\n")
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = ["AWS4-HMAC-SHA256", stamp, scope, Hex.encode(Digest.sha256(Array(canonical.utf8)))].joined(separator: "\n")
        let key = [day, region, service, "aws4_request"].reduce(Array("AWS4\(secret.reveal())".utf8)) { key, part in
            Digest.hmacSHA256(key: key, Array(part.utf8))
        }
        let signature = Hex.encode(Digest.hmacSHA256(key: key, Array(text.utf8)))
        request.headers.add("x-amz-date", stamp)
        request.headers.add(
            "authorization", "AWS4-HMAC-SHA256 Credential=\(keyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)")
    }
}
