import Accounts
import Crypto
import JSON
import Runtime
import Text

/// One account in the forms that imports into Firebase take.
struct FirebaseRecord {
    let account: Account
    /// `nil` where there is none, and where Firebase cannot check it.
    let hash: PasswordHash?
    /// The second factors that Firebase takes, which are those by messages.
    let phones: [JSON]
    /// The identities that Firebase can know.
    let identities: [LinkedIdentity]

    /// The providers that `firebase auth:import` knows. One other aborts the whole import.
    private static let providers: Set<UTF8Text> = [
        "apple.com", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com", "microsoft.com",
        "playgames.google.com", "twitter.com", "yahoo.com",
    ]

    /// Whether `firebase auth:import` takes it as a whole.
    var fitsCommandLine: Bool { phones.isEmpty && identities.allSatisfy { Self.providers.contains(UTF8Text($0.providerID)) } }

    /// The names of the members that both forms have.
    private struct Names {
        let id: String
        let salt: String
        let photo: String
        let identities: String
        let subject: String
    }

    /// An element of `users` in a file of `firebase auth:import`. It may have no other members than these.
    /// <https://firebase.google.com/docs/cli/auth#json>
    func writeForCommandLine(to json: inout JSONWriter) {
        let names = Names(id: "localId", salt: "salt", photo: "photoUrl", identities: "providerUserInfo", subject: "rawId")
        json.object { json in
            write(names, to: &json)
            json.field("createdAt", decimal: account.createdAt.milliseconds)
            json.field("lastSignedInAt", decimal: account.lastLoginAt?.milliseconds)
            json.field("customAttributes", account.customAttributes)
        }
    }

    /// A record of the Admin SDK's `importUsers`, with hash and salt in base64.
    /// <https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.userimportrecord>
    func writeForAdminSDK(to json: inout JSONWriter) {
        let names = Names(id: "uid", salt: "passwordSalt", photo: "photoURL", identities: "providerData", subject: "uid")
        json.object { json in
            write(names, to: &json)
            json.object("metadata") { json in
                json.field("creationTime", Timestamp.text(account.createdAt))
                json.field("lastSignInTime", account.lastLoginAt.map(Timestamp.text))
            }
            json.field("customClaims", json: account.customAttributes.flatMap { try? JSON.parse($0) })
            guard !phones.isEmpty else { return }
            json.object("multiFactor") { json in
                json.array("enrolledFactors") { json in for phone in phones { Self.write(phone, to: &json) } }
            }
        }
    }

    private func write(_ names: Names, to json: inout JSONWriter) {
        json.field(names.id, account.id)
        json.field("email", account.email)
        if account.email != nil { json.field("emailVerified", account.emailVerified) }
        if let hash {
            json.field("passwordHash", Base64.encode(hash.digest))
            if !hash.salt.isEmpty { json.field(names.salt, Base64.encode(hash.salt)) }
        }
        json.field("displayName", account.displayName)
        json.field(names.photo, account.photoURL)
        json.field("phoneNumber", account.phoneNumber)
        if account.disabled { json.field("disabled", true) }
        guard !identities.isEmpty else { return }
        json.array(names.identities) { json in
            for identity in identities {
                json.object { json in
                    json.field("providerId", identity.providerID)
                    json.field(names.subject, identity.subject)
                    json.field("email", identity.email)
                    json.field("displayName", identity.displayName)
                    json.field(names.photo, identity.photoURL)
                }
            }
        }
    }

    private static func write(_ phone: JSON, to json: inout JSONWriter) {
        json.object { json in
            json.field("factorId", "phone")
            json.field("uid", phone["mfaEnrollmentId"]?.string?.asString)
            json.field("phoneNumber", phone["phoneInfo"]?.string?.asString)
            json.field("displayName", phone["displayName"]?.string?.asString)
            json.field("enrollmentTime", phone["enrolledAt"]?.string?.asString)
        }
    }
}
