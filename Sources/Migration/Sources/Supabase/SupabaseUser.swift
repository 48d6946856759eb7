import Accounts
import Crypto
import JSON
import Runtime
import Text

/// Makes an account of a row of Supabase's `auth.users`, with its rows of `auth.identities` and `auth.mfa_factors`.
/// <https://github.com/supabase/auth/tree/master/migrations>
struct SupabaseUser {
    let row: DumpedRow
    let id: UTF8Text
    let now: Instant

    /// Throws for a row without an id.
    init(_ row: DumpedRow, now: Instant) throws(ImportFault) {
        guard let id = try row.text("id") else { throw ImportFault(.invalidID, "the user has no id", place: row.place) }
        (self.row, self.id, self.now) = (row, id, now)
    }

    /// Whether the user was deleted, and the row is only kept.
    var isDeleted: Bool { get throws(ImportFault) { try row.text("deleted_at") != nil } }

    func account(
        _ identities: [SupabaseIdentity], _ factors: [SupabaseFactor], keys: inout ImportedKeys, losses: inout SourceLosses
    ) throws(ImportFault) -> SourceAccount {
        var account = SourceAccount(id: id.asString, place: row.place)
        try readAddress(&account, &losses)
        try readPhone(&account, &losses)
        try readMetadata(&account, &losses)
        try readPassword(&account, &keys, &losses)
        account.disabled = try isBanned
        account.isAnonymous = try row.text("is_anonymous") == "t"
        account.createdAt = try time("created_at")
        account.lastLoginAt = try time("last_sign_in_at")
        for identity in identities {
            if let reason = identity.fault { throw fault(.invalidIdentity, reason) }
            if let linked = identity.linked { account.identities.append(linked) }
        }
        var secondFactors = SourceFactors()
        for factor in factors {
            // Without it, the account would sign in by one factor.
            if let reason = factor.fault { throw fault(.invalidSecondFactor, reason) }
            factor.add(to: &secondFactors, &losses)
        }
        account.secondFactors = secondFactors.text
        return account
    }

    private func readAddress(_ account: inout SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) {
        guard let email = try row.text("email"), !email.isEmpty else { return }
        guard try row.text("is_sso_user") != "t" else {
            return losses.add("address of a user of single sign-on: several of them may share it, so the account has none")
        }
        account.email = email.asString
        // Until 2021, the column had another name.
        let confirmed = [try row.text("email_confirmed_at"), try row.text("confirmed_at")]
        account.emailVerified = confirmed.contains { $0 != nil }
    }

    /// Supabase stores the digits without the plus sign.
    private func readPhone(_ account: inout SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) {
        guard let phone = try row.text("phone"), !phone.isEmpty else { return }
        guard try row.text("phone_confirmed_at") != nil else {
            return losses.add("phone number that its owner never confirmed: another person may have typed it")
        }
        account.phoneNumber = (phone.hasPrefix("+") ? "" : "+") + phone.asString
    }

    private func readMetadata(_ account: inout SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) {
        var claims = try object("raw_app_meta_data") ?? [:]
        for name: UTF8Text in ["provider", "providers"] { claims[name] = nil }
        account.customAttributes = claims.isEmpty ? nil : JSON.object(claims).text()
        guard let profile = try object("raw_user_meta_data") else { return }
        account.displayName = profile.text("full_name", "name")?.asString
        account.photoURL = profile.text("avatar_url", "picture")?.asString
        if profile.contains(where: { !Self.known.contains($0.name) }) {
            losses.add("user metadata besides name and picture (raw_user_meta_data)")
        }
    }

    private func readPassword(
        _ account: inout SourceAccount, _ keys: inout ImportedKeys, _ losses: inout SourceLosses
    ) throws(ImportFault) {
        guard let text = try row.text("encrypted_password") else { return }
        do {
            account.password = try SupabasePassword.read(text, keys: &keys)
        } catch let error as PasswordHashFault {
            throw fault(.invalidHash, "\(error)")
        } catch {
            losses.add("password whose hash Supabase has encrypted with a key of its own: its owner must set a new one")
        }
    }

    private var isBanned: Bool {
        get throws(ImportFault) {
            guard let end = try row.text("banned_until") else { return false }
            if end == "infinity" { return true }
            return try time(end, of: "banned_until") > now
        }
    }

    private func time(_ column: UTF8Text) throws(ImportFault) -> Instant? {
        guard let text = try row.text(column) else { return nil }
        return try time(text, of: column)
    }

    private func time(_ text: UTF8Text, of column: UTF8Text) throws(ImportFault) -> Instant {
        guard let time = SourceTime.instant(text) else {
            throw fault(.invalidTime, "\(column) is not a time as PostgreSQL writes it with DateStyle ISO")
        }
        return time
    }

    private func object(_ column: UTF8Text) throws(ImportFault) -> JSON.Object? {
        guard let text = try row.text(column) else { return nil }
        switch try? JSON.parse(text.asString) {
        case .object(let object): return object
        case .null: return nil
        default: throw fault(.malformed, "\(column) is not a JSON object")
        }
    }

    private func fault(_ code: ImportFault.Code, _ message: String) -> ImportFault {
        ImportFault(code, message, accountID: id.asString, place: row.place)
    }

    /// The members that Supabase writes at a sign-in. The account's own fields have them, or the identity.
    private static let known: Set<UTF8Text> = [
        "avatar_url", "custom_claims", "email", "email_verified", "full_name", "iss", "name", "phone", "phone_verified", "picture",
        "preferred_username", "provider_id", "sub", "user_name",
    ]
}
