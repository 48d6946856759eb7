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

    /// An element of `users` in a file of `firebase auth:import`. It may have no other members than these.
    /// <https://firebase.google.com/docs/cli/auth#json>
    func writeForCommandLine(to json: inout JSONWriter) {
        json.object { json in
            json.field("localId", account.id)
            json.field("email", account.email)
            if account.email != nil { json.field("emailVerified", account.emailVerified) }
            if let hash {
                json.field("passwordHash", Base64.encode(hash.digest))
                if !hash.salt.isEmpty { json.field("salt", Base64.encode(hash.salt)) }
            }
            json.field("displayName", account.displayName)
            json.field("photoUrl", account.photoURL)
            json.field("createdAt", decimal: account.createdAt.milliseconds)
            json.field("lastSignedInAt", decimal: account.lastLoginAt?.milliseconds)
            json.field("phoneNumber", account.phoneNumber)
            if account.disabled { json.field("disabled", true) }
            json.field("customAttributes", account.customAttributes)
            guard !identities.isEmpty else { return }
            json.array("providerUserInfo") { json in
                for identity in identities {
                    json.object { json in
                        json.field("providerId", identity.providerID)
                        json.field("rawId", identity.subject)
                        json.field("email", identity.email)
                        json.field("displayName", identity.displayName)
                        json.field("photoUrl", identity.photoURL)
                    }
                }
            }
        }
    }

    /// A record of the Admin SDK's `importUsers`, with hash and salt in base64.
    /// <https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.userimportrecord>
    func writeForAdminSDK(to json: inout JSONWriter) {
        json.object { json in
            json.field("uid", account.id)
            json.field("email", account.email)
            if account.email != nil { json.field("emailVerified", account.emailVerified) }
            if let hash {
                json.field("passwordHash", Base64.encode(hash.digest))
                if !hash.salt.isEmpty { json.field("passwordSalt", Base64.encode(hash.salt)) }
            }
            json.field("displayName", account.displayName)
            json.field("photoURL", account.photoURL)
            json.field("phoneNumber", account.phoneNumber)
            if account.disabled { json.field("disabled", true) }
            json.object("metadata") { json in
                json.field("creationTime", Timestamp.text(account.createdAt))
                json.field("lastSignInTime", account.lastLoginAt.map(Timestamp.text))
            }
            json.field("customClaims", json: account.customAttributes.flatMap { try? JSON.parse($0) })
            if !identities.isEmpty {
                json.array("providerData") { json in
                    for identity in identities {
                        json.object { json in
                            json.field("providerId", identity.providerID)
                            json.field("uid", identity.subject)
                            json.field("email", identity.email)
                            json.field("displayName", identity.displayName)
                            json.field("photoURL", identity.photoURL)
                        }
                    }
                }
            }
            if !phones.isEmpty {
                json.object("multiFactor") { json in
                    json.array("enrolledFactors") { json in for phone in phones { Self.write(phone, to: &json) } }
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
