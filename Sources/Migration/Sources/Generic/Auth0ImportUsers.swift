package import Accounts
package import Crypto
package import JSON
import Text

/// Reads users as Auth0's bulk import takes them, which is a form that many systems are exported to.
/// <https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples>
package struct Auth0ImportUsers {
    /// A file in which each user has a key of its own is not worth as many rows of keys.
    private static let mostKeys = 100

    package private(set) var losses = SourceLosses()
    private var keys = ImportedKeys()
    private var unknown = UnknownMembers()

    package init() {}

    /// The keys of the HMACs that were read so far.
    package var hashKeys: [ImportedHashKey] { keys.all }

    /// The account. Throws `ImportFault` for a value of another type, and for a hash that cannot be read.
    package mutating func account(_ object: JSON.Object, place: Int) throws(ImportFault) -> SourceAccount {
        let members = RecordMembers(object)
        let id = members["user_id"]?.string?.asString
        return try ImportFault.naming(id, at: place) { () throws(ImportFault) in try account(members, id: id, place: place) }
    }

    private mutating func account(_ members: RecordMembers, id: String?, place: Int) throws(ImportFault) -> SourceAccount {
        guard let id else { throw ImportFault(.invalidID, "user_id must be a text") }
        var account = SourceAccount(id: id, place: place)
        account.email = try members.text("email")
        account.emailVerified = try members.flag("email_verified")
        account.phoneNumber = try members.text("phone_number")
        let name = [try members.text("given_name"), try members.text("family_name")].compactMap(\.self).joined(separator: " ")
        let nickname = try members.text("nickname")
        account.displayName = try members.text("name") ?? (name.isEmpty ? nickname : name)
        account.photoURL = try members.text("picture")
        account.disabled = try members.flag("blocked")
        account.createdAt = try members.date("created_at")
        account.lastLoginAt = try members.date("last_login")
        account.customAttributes = try members.object("app_metadata").map { JSON.object($0).text() }
        if let rest = try members.object("user_metadata"), !rest.isEmpty { losses.add("user_metadata: accounts have no place for it") }
        if try !members.objects("mfa_factors").isEmpty {
            losses.add("second factor of mfa_factors: write it as mfaInfo of our own record to keep it")
        }
        account.password = try password(members)
        unknown.count(in: members.object, besides: Self.known, &losses)
        return account
    }

    private mutating func password(_ members: RecordMembers) throws(ImportFault) -> ImportedPassword? {
        if let hash = try members.object("custom_password_hash") {
            let custom = try CustomPasswordHash(RecordMembers(hash), &keys)
            guard keys.all.count <= Self.mostKeys else {
                throw ImportFault(.invalidHash, "the file has more than \(Self.mostKeys) keys of HMACs")
            }
            return custom.password
        }
        guard let text = try members.text("password_hash") else { return nil }
        do throws(PasswordHashFault) {
            return .hash(try PasswordHash(reading: text))
        } catch { throw ImportFault(.invalidHash, "\(error)") }
    }

    private static let known: Set<UTF8Text> = [
        "user_id", "email", "email_verified", "phone_number", "name", "given_name", "family_name", "nickname", "picture", "blocked",
        "created_at", "last_login", "app_metadata", "user_metadata", "mfa_factors", "custom_password_hash", "password_hash",
        // They say nothing that an account here has.
        "username", "updated_at",
    ]
}
