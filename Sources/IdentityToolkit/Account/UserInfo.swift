import Accounts
import Crypto
import JSON
import Runtime
import Text

/// An account on the wire. 64-bit numbers are strings. Fields without a value are left out, since SDKs test whether a field is present.
///
/// Written field by field, since every app calls `accounts:lookup` after every sign-in and at every start.
struct UserInfo {
    let account: Account
    /// `nil` for an account of the project itself.
    var tenantID: String?
    var view = View.own
    /// Whether a list of second factors is there even when it is empty.
    var showsNoFactors = false

    /// For whom it is written.
    enum View {
        /// The account's own person.
        case own
        /// An administrator, with the password's hash if they may read it.
        case administrator(PasswordHash?)
    }

    /// "REDACTED": SDKs look whether a hash is present, and no client gets to see it.
    static let redactedHash = "UkVEQUNURUQ="

    /// The shape of what `write` writes for the account's own person.
    static var shape: JSONShape { shape([.own]) }
    /// The same for administrators, whatever they may read.
    static var administratorsShape: JSONShape { shape([.administrator(nil), .administrator(PasswordHash(sampleHash))]) }
    private static let sampleHash = "$scrypt$ln=14,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    private static func shape(_ views: [View]) -> JSONShape {
        JSONShape(
            ofSamples: Account.samples.flatMap { account in
                views.compactMap { view in
                    var json = JSONWriter()
                    UserInfo(account: account, tenantID: account.displayName.map { _ in "customer-a" }, view: view).write(to: &json)
                    return try? JSON.parse(json.bytes)
                }
            })
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("localId", account.id)
            json.field("tenantId", tenantID)
            json.field("email", account.email)
            if account.email != nil { json.field("emailVerified", account.emailVerified) }
            json.field("phoneNumber", account.phoneNumber)
            json.field("displayName", account.displayName)
            json.field("photoUrl", account.photoURL)
            json.field("screenName", account.identities.lazy.compactMap(\.screenName).first)
            if account.hasEmailSignIn || !account.identities.isEmpty || account.phoneNumber != nil {
                json.array("providerUserInfo") { json in
                    Provider.forEach(of: account) { $0.write(to: &json) }
                }
            }
            json.field("validSince", decimal: account.validSince.seconds)
            if account.disabled { json.field("disabled", true) }
            json.field("createdAt", decimal: account.createdAt.milliseconds)
            json.field("lastLoginAt", decimal: account.lastLoginAt?.milliseconds)
            json.field("lastRefreshAt", lastRefresh.map(Timestamp.text))
            json.field("customAttributes", account.customAttributes)
            json.field("initialEmail", account.initialEmail)
            writeFactors(to: &json)
            if !account.passkeys.isEmpty { writePasskeys(to: &json) }
            if account.hasPassword { writeHash(to: &json) }
            // In milliseconds, as a number.
            json.field("passwordUpdatedAt", account.passwordUpdatedAt?.milliseconds)
            if account.emailLinkSignIn { json.field("emailLinkSignin", true) }
            if account.customAuth { json.field("customAuth", true) }
        }
    }

    private func writePasskeys(to json: inout JSONWriter) {
        json.array("passkeyInfo") { json in
            for passkey in account.passkeys {
                json.object { json in
                    json.field("credentialId", passkey.id)
                    json.field("name", passkey.name)
                    json.field("displayName", passkey.displayName)
                }
            }
        }
    }

    /// A sign-in issues new tokens, too.
    private var lastRefresh: Instant? {
        let exact = [account.lastRefreshAt, account.lastLoginAt].compactMap { $0 }.max()
        guard case .own = view else { return exact }
        // Only the day: a more exact time would tell a thief when the owner refreshes (SEC-74).
        return exact.map { Instant(seconds: $0.seconds / 86400 * 86400) }
    }

    /// Administrators see numbers in full, and what other systems have written besides. The list stays when it is empty: JS takes over what an
    /// answer says, and keeps what it leaves out.
    private func writeFactors(to json: inout JSONWriter) {
        guard let factors = account.secondFactors else {
            if showsNoFactors { json.array("mfaInfo") { _ in } }
            return
        }
        if case .administrator = view { return json.field("mfaInfo", verbatim: factors.utf8) }
        if let list = try? JSON(encoding: MFAInfo.list(of: account)).bytes() { json.field("mfaInfo", verbatim: list) }
    }

    private func writeHash(to json: inout JSONWriter) {
        guard case .administrator(let hash?) = view else { return json.field("passwordHash", Self.redactedHash) }
        json.field("passwordHash", Base64.encode(hash.digest))
        json.field("salt", Base64.encode(hash.salt))
        json.field("version", hash.scheme is ScryptHash ? 0 : 1)
    }

    /// One way to sign in to an account.
    struct Provider: Codable {
        var providerId: String
        /// The same value twice: iOS reads one of the fields, JS and the Admin SDKs the other. A phone number has no `federatedId`.
        var rawId: String
        var federatedId: String?
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var screenName: String?
        var phoneNumber: String?

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("providerId", providerId)
                json.field("rawId", rawId)
                json.field("federatedId", federatedId)
                json.field("email", email)
                json.field("displayName", displayName)
                json.field("photoUrl", photoUrl)
                json.field("screenName", screenName)
                json.field("phoneNumber", phoneNumber)
            }
        }
    }
}

extension UserInfo.Provider {
    /// The upstream providers, `password` for an address that signs in by itself, and `phone` for a number.
    static func all(of account: Account) -> [Self] {
        var all: [Self] = []
        forEach(of: account) { all.append($0) }
        return all
    }

    static func forEach(of account: Account, _ body: (Self) -> Void) {
        for identity in account.identities { body(Self(identity)) }
        if account.hasEmailSignIn, let email = account.email {
            body(
                Self(
                    providerId: "password", rawId: email, federatedId: email, email: email, displayName: account.displayName,
                    photoUrl: account.photoURL))
        }
        if let number = account.phoneNumber {
            body(Self(providerId: "phone", rawId: number, phoneNumber: number))
        }
    }

    private init(_ identity: LinkedIdentity) {
        self.init(
            providerId: identity.providerID, rawId: identity.subject, federatedId: identity.subject, email: identity.email,
            displayName: identity.displayName, photoUrl: identity.photoURL, screenName: identity.screenName)
    }
}
