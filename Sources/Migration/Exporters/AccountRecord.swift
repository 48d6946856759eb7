package import Accounts
import Crypto
import JSON
import Runtime

/// The whole record of an account, as `gatehouse export json` writes it and `gatehouse import json` reads it: one JSON object on a line.
///
/// The members have the names and forms of the Admin API's `UserInfo`; those that it lacks are `emailProven`, `anonymous`, `profile`,
/// `sessionsEndedAt`, `userHandle`, `passkeys`, the text of the password hash, and what `IdentityRecord` has of an identity. A member without a value is left out, so equal accounts give equal bytes.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo>
package struct AccountRecord {
    private let account: Account
    private let passwordHash: String?
    private let identityRecords: [String: IdentityRecord]
    private let passkeys: [PasskeyRecord]

    package init(_ exported: ExportedAccount) {
        self.init(exported.account, passwordHash: exported.passwordHash?.text, exported.identityRecords, exported.passkeys)
    }

    init(_ account: Account, passwordHash: String?, _ identityRecords: [String: IdentityRecord], _ passkeys: [PasskeyRecord] = []) {
        (self.account, self.passwordHash, self.identityRecords, self.passkeys) = (account, passwordHash, identityRecords, passkeys)
    }

    /// The object with a line feed behind it.
    package var line: [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object(write)
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private func write(to json: inout JSONWriter) {
        json.field("localId", account.id)
        json.field("email", account.email)
        if account.email != nil {
            json.field("emailVerified", account.emailVerified)
            json.field("emailProven", account.emailProven)
        }
        json.field("phoneNumber", account.phoneNumber)
        json.field("displayName", account.displayName)
        json.field("photoUrl", account.photoURL)
        json.field("profile", account.profile)
        if account.disabled { json.field("disabled", true) }
        json.field("customAttributes", account.customAttributes)
        json.field("passwordHash", passwordHash)
        json.field("passwordUpdatedAt", account.passwordUpdatedAt?.milliseconds)
        json.field("validSince", decimal: account.validSince.seconds)
        json.field("sessionsEndedAt", decimal: account.sessionsEndedAt?.milliseconds)
        json.field("createdAt", decimal: account.createdAt.milliseconds)
        json.field("lastLoginAt", decimal: account.lastLoginAt?.milliseconds)
        json.field("lastRefreshAt", account.lastRefreshAt.map(Timestamp.text))
        json.field("initialEmail", account.initialEmail)
        if account.emailLinkSignIn { json.field("emailLinkSignin", true) }
        if account.customAuth { json.field("customAuth", true) }
        if account.isAnonymous { json.field("anonymous", true) }
        if !account.identities.isEmpty {
            json.array("providerUserInfo") { json in for identity in account.identities { write(identity, to: &json) } }
        }
        if let factors = account.secondFactors { json.field("mfaInfo", verbatim: factors.utf8) }
        guard !passkeys.isEmpty else { return }
        json.field("userHandle", account.userHandle.map(Base64URL.encode))
        json.array("passkeys") { json in for passkey in passkeys { passkey.write(to: &json) } }
    }

    private func write(_ identity: LinkedIdentity, to json: inout JSONWriter) {
        let record = identityRecords[identity.providerID] ?? IdentityRecord()
        json.object { json in
            json.field("providerId", identity.providerID)
            json.field("rawId", identity.subject)
            json.field("email", identity.email)
            if identity.emailVerified { json.field("emailVerified", true) }
            json.field("displayName", identity.displayName)
            json.field("photoUrl", identity.photoURL)
            json.field("screenName", identity.screenName)
            json.field("alias", record.alias)
            json.field("tenant", record.tenant)
            json.field("linkedAt", decimal: record.linkedAt?.milliseconds)
            json.field("lastSignInAt", decimal: record.lastSignInAt?.milliseconds)
            json.field("linkedUnproven", record.isUnproven)
        }
    }
}
