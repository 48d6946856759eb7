package import Accounts
import Crypto
package import JSON
import Text

/// Reads accounts as Firebase describes them: a `UserInfo` object of its API or of the CLI's files, and our own whole record, which has the same
/// members and some more.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo>
package struct FirebaseUsers {
    /// Who has written the object.
    package enum Form: Sendable {
        /// The CLI's `auth:export`, or a page of `accounts:batchGet`.
        case google
        /// The body of `accounts:batchCreate`, whose members may be written in snake case.
        case call
        /// `gatehouse export json`.
        case own
    }

    private let form: Form
    private let hashes: HashParameters?
    /// Complete when all accounts are read.
    package private(set) var losses = SourceLosses()
    private var unknown = UnknownMembers()

    /// - Parameter hashes: the parameters that all hashes were made with; `nil` where the operator gave none.
    package init(_ form: Form, hashes: HashParameters?) { (self.form, self.hashes) = (form, hashes) }

    /// The account. Throws `ImportFault` for a value of another type, for a hash that cannot be read, and for a second factor without its number.
    package mutating func account(_ object: JSON.Object, place: Int) throws(ImportFault) -> SourceAccount {
        let members = RecordMembers(object, form == .call ? .wire : .exact)
        let id = members["localId"]?.string?.asString
        return try ImportFault.naming(id, at: place) { () throws(ImportFault) in try account(members, id: id, place: place) }
    }

    private mutating func account(_ members: RecordMembers, id: String?, place: Int) throws(ImportFault) -> SourceAccount {
        guard let id else { throw ImportFault(.invalidID, "the member localId, which has the uid, is missing") }
        var account = SourceAccount(id: id, place: place)
        account.email = try members.text("email")
        account.emailVerified = try members.flag("emailVerified")
        account.initialEmail = try members.text("initialEmail")
        account.phoneNumber = try members.text("phoneNumber")
        account.displayName = try members.text("displayName")
        account.photoURL = try members.text("photoUrl")
        account.disabled = try members.flag("disabled")
        account.customAttributes = try members.text("customAttributes")
        account.createdAt = try members.milliseconds("createdAt")
        let lastSignedInAt = try members.milliseconds("lastSignedInAt")
        account.lastLoginAt = try members.milliseconds("lastLoginAt") ?? lastSignedInAt
        account.lastRefreshAt = try members.date("lastRefreshAt")
        account.validSince = try members.seconds("validSince")
        account.passwordUpdatedAt = try members.milliseconds("passwordUpdatedAt")
        account.emailLinkSignIn = try members.flag("emailLinkSignin")
        account.customAuth = try members.flag("customAuth")
        let factors = try FirebaseFactors(try Self.factors(members))
        account.secondFactors = factors.text
        if factors.withoutSecret > 0 {
            losses.add("second factor by TOTP: its secret is in no export, so the person must set it up again to sign in")
        }
        if form == .google {
            for kind in factors.kinds {
                losses.note("second factor by \(kind): it is kept, and the account signs in by no single proof")
            }
        }
        for entry in try members.objects("providerUserInfo") { try add(entry, to: &account) }
        account.password = try password(members)
        if form == .own { try readOwn(members, into: &account) }
        count(members.object, account)
        return account
    }

    private static func factors(_ members: RecordMembers) throws(ImportFault) -> [JSON.Object] {
        if let nested = try members.object("mfa") { return try RecordMembers(nested).objects("enrollments") }
        return try members.objects("mfaInfo")
    }

    private func add(_ entry: JSON.Object, to account: inout SourceAccount) throws(ImportFault) {
        let members = RecordMembers(entry, form == .call ? .wire : .exact)
        guard let providerID = try members.text("providerId") else {
            throw ImportFault(.invalidIdentity, "an entry of providerUserInfo has no providerId")
        }
        switch UTF8Text(providerID) {
        case "password": return
        case "phone":
            let rawID = try members.text("rawId")
            let number = try members.text("phoneNumber") ?? rawID
            account.phoneNumber = account.phoneNumber ?? number
            return
        default: break
        }
        guard let subject = try members.text("rawId") else {
            throw ImportFault(.invalidIdentity, "an identity has no rawId, by which its provider names the person")
        }
        var identity = LinkedIdentity(
            providerID: providerID, subject: subject, email: try members.text("email"),
            displayName: try members.text("displayName"), photoURL: try members.text("photoUrl"),
            screenName: try members.text("screenName"))
        if form == .own {
            identity.emailVerified = try members.flag("emailVerified")
            var record = IdentityRecord()
            record.alias = try members.text("alias")
            record.tenant = try members.text("tenant")
            record.linkedAt = try members.milliseconds("linkedAt")
            record.lastSignInAt = try members.milliseconds("lastSignInAt")
            record.isUnproven = try members.optionalFlag("linkedUnproven")
            account.identityRecords[providerID] = record
        }
        account.identities.append(identity)
    }

    /// The members that only our own record has.
    private func readOwn(_ members: RecordMembers, into account: inout SourceAccount) throws(ImportFault) {
        account.emailProven = try members.optionalFlag("emailProven")
        account.profile = try members.text("profile")
        account.sessionsEndedAt = try members.milliseconds("sessionsEndedAt")
        account.isAnonymous = try members.flag("anonymous")
        account.userHandle = try PasskeyRecord.bytes("userHandle", members)
        account.passkeys = try members.objects("passkeys").map { object throws(ImportFault) in try PasskeyRecord(object) }
    }

    private mutating func password(_ members: RecordMembers) throws(ImportFault) -> ImportedPassword? {
        if form == .call, let password = try members.text("rawPassword") { return .plain(password) }
        guard let text = try members.text("passwordHash") else { return nil }
        if form == .own, text.utf8.first == UInt8(ascii: "$") { return .hash(try storedHash(text)) }
        guard let hash = Base64.decode(text), let salt = Base64.decode(try members.text("salt") ?? "") else {
            throw ImportFault(.invalidHash, "passwordHash or salt is not base64")
        }
        if hash == Array("REDACTED".utf8) {
            losses.add("password: the hash is redacted, since who made the export may not see hashes (firebaseauth.configs.getHashConfig)")
            return nil
        }
        if let version = members["version"]?.integer, version != 0, hashes?.isFirebaseScrypt ?? true {
            losses.add("password: the hash is one that Firebase itself imported (version \(version)), and its parameters are in no export")
            return nil
        }
        guard let hashes else {
            throw ImportFault(.invalidHash, "the account has a password hash, and the import has no parameters of it: add --hash-config")
        }
        do throws(PasswordHashFault) {
            return try hashes.password(hash: hash, salt: salt)
        } catch { throw ImportFault(.invalidHash, "\(error)") }
    }

    /// A hash in our own form, whose key must be there.
    private func storedHash(_ text: String) throws(ImportFault) -> PasswordHash {
        let hash: PasswordHash
        do throws(PasswordHashFault) {
            hash = try PasswordHash(reading: text)
        } catch { throw ImportFault(.invalidHash, "\(error)") }
        if let id = hash.keyID, !id.isExactly(hashes?.key?.id) {
            throw ImportFault(
                .invalidHash, "the hash was made with the key \(id) of another system: add --hash-config with the parameters that have it")
        }
        return hash
    }

    private mutating func count(_ object: JSON.Object, _ account: SourceAccount) {
        if object["tenantId"] != nil { losses.add("tenant: the account becomes one of the project itself") }
        if let keys = object["passkeyInfo"]?.array, !keys.isEmpty {
            losses.add("passkey: it belongs to the domain of the old sign-in page; the person makes a new one")
        }
        if account.email != nil, account.password == nil, account.identities.isEmpty {
            losses.note(
                "account with an address and without a password hash and an identity: it signs in by a link in a mail, or after a new password"
            )
        }
        unknown.count(in: object, besides: form == .own ? Self.known.union(Self.own) : Self.known, &losses)
    }

    private static let known: Set<UTF8Text> = [
        "localId", "email", "emailVerified", "initialEmail", "phoneNumber", "displayName", "photoUrl", "disabled", "customAttributes",
        "createdAt", "lastLoginAt", "lastSignedInAt", "lastRefreshAt", "validSince", "passwordUpdatedAt", "emailLinkSignin", "customAuth",
        "mfa", "mfaInfo", "providerUserInfo", "passwordHash", "salt", "rawPassword", "version", "tenantId", "passkeyInfo",
        // Firebase has them for older systems; no SDK shows them.
        "screenName", "federatedId", "language", "timeZone", "dateOfBirth", "kind",
    ]
    private static let own: Set<UTF8Text> = ["emailProven", "profile", "sessionsEndedAt", "anonymous", "userHandle", "passkeys"]
}
