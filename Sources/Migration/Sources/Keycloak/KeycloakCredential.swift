import Crypto
import JSON
import Runtime
import Text

/// A member of `credentials` of a user in Keycloak's export. Its data are two texts, each of them JSON again.
/// <https://www.keycloak.org/docs-api/latest/rest-api/index.html#CredentialRepresentation>
struct KeycloakCredential {
    let type: UTF8Text
    let createdAt: Instant?
    private let id: UTF8Text?
    private let label: UTF8Text?
    private let secret: JSON.Object
    private let data: JSON.Object
    private let whole: JSON.Object

    /// Nil where it has no type, or its data are not JSON.
    init?(_ credential: JSON.Object) {
        guard let type = credential.text("type"), let secret = Self.object(credential["secretData"]),
            let data = Self.object(credential["credentialData"])
        else { return nil }
        (self.type, self.secret, self.data, whole) = (type, secret, data, credential)
        (id, label) = (credential.text("id"), credential.text("userLabel"))
        createdAt = credential["createdDate"]?.integer.map { Instant(milliseconds: $0) }
    }

    private static func object(_ member: JSON?) -> JSON.Object? {
        guard let member, !member.isNull else { return [:] }
        return member.object ?? member.string.flatMap { (try? JSON.parse($0.asString))?.object }
    }

    /// The password, for a credential of that type. Files that people write for an import have the password itself in `value`.
    func password() throws(PasswordHashFault) -> ImportedPassword {
        if let plain = whole.text("value") { return .plain(plain.asString) }
        guard let digest = secret.text("value").flatMap({ Base64.decode($0.asString) }),
            let salt = secret.text("salt").flatMap({ Base64.decode($0.asString) })
        else { throw .malformed("secretData of the password has no value or no salt in base64") }
        guard let iterations = data["hashIterations"]?.integer.flatMap({ Int(exactly: $0) }), let algorithm = data.text("algorithm") else {
            throw .malformed("credentialData of the password has no hashIterations or no algorithm")
        }
        switch algorithm {
        case "pbkdf2": return .hash(PasswordHash(try PBKDF2Hash(.sha1, iterations: iterations, salt: salt, digest: digest)))
        case "pbkdf2-sha256": return .hash(PasswordHash(try PBKDF2Hash(.sha256, iterations: iterations, salt: salt, digest: digest)))
        case "pbkdf2-sha512": return .hash(PasswordHash(try PBKDF2Hash(.sha512, iterations: iterations, salt: salt, digest: digest)))
        case "argon2": return .hash(PasswordHash(try argon2(iterations, salt: salt, digest: digest)))
        default: throw .unsupported("hashes of \(algorithm.prefix(bytes: 64)) are not supported")
        }
    }

    private func argon2(_ iterations: Int, salt: [UInt8], digest: [UInt8]) throws(PasswordHashFault) -> Argon2Hash {
        let variant: Argon2Hash.Variant? =
            switch parameter("type") {
            case "id": .argon2id
            case "i": .argon2i
            default: nil
            }
        guard let variant, parameter("version") == "1.3" else {
            throw .unsupported("argon2 must have the type id or i, and version 1.3")
        }
        guard let memory = number("memory"), let parallelism = number("parallelism") else {
            throw .malformed("argon2 lacks its memory or its parallelism")
        }
        return try Argon2Hash(variant, memory: memory, iterations: iterations, parallelism: parallelism, salt: salt, digest: digest)
    }

    /// The parameters are lists of texts with one text each.
    private func parameter(_ name: UTF8Text) -> UTF8Text? {
        let value = data["additionalParameters"]?[name]
        return value?.array?.first?.string ?? value?.string
    }

    private func number(_ name: UTF8Text) -> Int? { parameter(name).flatMap { Int($0.asString) } }

    /// Adds the second factor that the credential is.
    /// - Returns: why its secret cannot be moved; nil if it can.
    func add(to factors: inout SourceFactors) -> String? {
        let enrollment = SourceFactors.Enrollment(id: (id ?? type).asString, name: label?.asString, at: createdAt)
        guard type == "otp" else {
            factors.addUnknown(enrollment)
            return "second factor of the kind \(type): it cannot be moved"
        }
        guard data.text("subType") == "totp", let key = key, !key.isEmpty, let hash = Self.hashes[data.text("algorithm") ?? "HmacSHA1"]
        else {
            factors.addUnknown(enrollment)
            return "second factor by one-time passwords that are counted, or whose secret cannot be read"
        }
        factors.addTOTP(
            key, hash: hash, digits: data["digits"]?.integer ?? 6, period: data["period"]?.integer ?? 30, enrollment)
        return nil
    }

    /// The secret is the key itself as a text, unless the credential says that it is Base32.
    private var key: [UInt8]? {
        guard let value = secret.text("value") else { return nil }
        guard let encoding = data.text("secretEncoding") else { return Array(value.utf8) }
        return encoding.asciiLowercased == "base32" ? Base32.decode(value.asString) : nil
    }

    private static let hashes: [UTF8Text: String] = ["HmacSHA1": "SHA1", "HmacSHA256": "SHA256", "HmacSHA512": "SHA512"]
}
