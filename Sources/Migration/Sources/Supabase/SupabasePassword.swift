import Crypto
import JSON
import Text

/// The column `encrypted_password` of Supabase's users: bcrypt, argon2, or a hash of Firebase's scrypt with its key.
/// <https://github.com/supabase/auth/blob/master/internal/crypto/password.go>
enum SupabasePassword {
    /// Supabase itself has encrypted the hash with a key of its server, so that it says nothing here.
    struct Encrypted: Error {}

    /// Reads a hash. Nil for an account without a password, which has an empty text.
    /// - Parameter keys: gets the signer key that a hash of Firebase brings along.
    static func read(_ text: UTF8Text, keys: inout ImportedKeys) throws -> ImportedPassword? {
        if text.isEmpty { return nil }
        if text.hasPrefix("{") { throw Encrypted() }
        guard text.hasPrefix("$fbscrypt$") else { return .hash(try PasswordHash(reading: text.asString)) }
        return .hash(PasswordHash(try firebaseScrypt(text, keys: &keys)))
    }

    /// Reads `$fbscrypt$v=1,n=14,r=8,p=1,ss=separator,sk=signer key$salt$hash`, whose values are in base64.
    private static func firebaseScrypt(_ text: UTF8Text, keys: inout ImportedKeys) throws(PasswordHashFault) -> FirebaseScryptHash {
        let fields = text.asString.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard fields.count == 5 else { throw .malformed("the hash of Firebase's scrypt has not the parameters, the salt and the hash") }
        var values: [String: String] = [:]
        for parameter in fields[2].split(separator: ",") {
            guard let equals = parameter.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            values[String(parameter[..<equals])] = String(parameter[parameter.utf8.index(after: equals)...])
        }
        guard values["v"] == "1", values["p"] == "1", let cost = values["n"].flatMap({ Int($0) }),
            let rounds = values["r"].flatMap({ Int($0) })
        else { throw .unsupported("the hash of Firebase's scrypt has not version 1 with the parameters n, r and p=1") }
        guard let secret = values["sk"].flatMap(Base64.decode), let separator = Base64.decode(values["ss"] ?? ""),
            let salt = Base64.decode(fields[3]), let digest = Base64.decode(fields[4])
        else { throw .malformed("the hash of Firebase's scrypt lacks its signer key, or has a value that is not base64") }
        let key = try keys.add(secret: secret, saltSeparator: separator)
        return try FirebaseScryptHash(memoryCost: cost, rounds: rounds, key: key, salt: salt, digest: digest)
    }
}
