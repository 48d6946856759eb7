import Crypto
import JSON
import Text

/// The file with which a back end signs, in Google's format, so that every Admin SDK can read it. It exists only once: the private key is
/// not stored anywhere else.
/// <https://cloud.google.com/iam/docs/keys-create-delete#creating>
package struct KeyFile: Sendable {
    let email: ServiceAccountEmail
    let clientID: String
    package let keyID: String
    let key: PrivateKey
    let publicURL: String

    /// JSON, one member on each line, with the private key unencrypted.
    package var text: String {
        let members: [(String, String)] = [
            ("type", "service_account"), ("project_id", email.projectID), ("private_key_id", keyID), ("private_key", key.pem),
            ("client_email", email.text), ("client_id", clientID),
            ("auth_uri", "\(publicURL)/\(email.projectID)/oauth2/authorize"), ("token_uri", Self.tokenURI(publicURL)),
            // SDKs compare it with the domain of the APIs they were built for, and refuse a key from any other.
            ("universe_domain", "googleapis.com"),
        ]
        let lines = members.map { name, value in "  \(JSON.string(name).text()): \(JSON.string(value).text())" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    /// Where a back end gets access tokens with the file.
    static func tokenURI(_ publicURL: String) -> String { "\(publicURL)/token" }

    /// 21 digits, like Google's.
    static func randomClientID() -> String {
        "1" + String(Random.bytes(20).map { Character(UnicodeScalar(UInt8(ascii: "0") + $0 % 10)) })
    }
}
