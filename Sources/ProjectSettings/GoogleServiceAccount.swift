import Config
import Crypto
import JSON
package import Runtime
import Text

/// The key file of a Google service account, as far as this server uses it. What the file says about addresses counts for nothing.
/// <https://cloud.google.com/iam/docs/keys-create-delete#creating>
package struct GoogleServiceAccount: Sendable {
    package let email: String
    package let keyID: String
    /// PEM.
    package let privateKey: Secret

    /// Why a text is not the key file of a service account, to stand after the name of the setting.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads the JSON of a key file.
    package init(_ file: Secret) throws(Fault) {
        guard let json = try? JSON.parse(file.reveal()), json.object != nil else {
            throw Fault(description: "is not the JSON of a key file")
        }
        guard json["type"]?.string == "service_account" else {
            throw Fault(description: "is not the key file of a service account; in Google's console: IAM, Service accounts, Keys, Add key")
        }
        guard let email = json["client_email"]?.string, email.utf8.contains(UInt8(ascii: "@")), let id = json["private_key_id"]?.string,
            !id.isEmpty, let pem = json["private_key"]?.string
        else { throw Fault(description: "is a key file without client_email, private_key_id or private_key") }
        guard let key = try? PrivateKey(pem: pem.asString), case .rsa = key.publicKey.components else {
            throw Fault(description: "has a private_key that is not an RSA key in PEM form")
        }
        self.email = email.asString
        keyID = id.asString
        privateKey = Secret(pem.asString)
    }
}

extension GoogleServiceAccount {
    /// Reads the setting `key`, a secret whose text is a key file; `nil` where it is absent, or has a fault that is recorded.
    init?(_ section: Section, _ key: String) {
        guard let file = section.secret(key) else { return nil }
        do throws(Fault) { try self.init(file) } catch {
            section.fault(key, error.description)
            return nil
        }
    }
}
