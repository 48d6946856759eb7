package import Accounts
import Identity
import JSON
package import ProjectSettings
package import Runtime

/// The JSON of an event, as an endpoint gets it. The person has the members of Firebase's triggers on users; there is no hash and no secret.
/// <https://firebase.google.com/docs/reference/functions/firebase-functions.auth.userrecord>
package struct EventBody {
    /// Standard Webhooks asks for less than 20 kB.
    private static let longest = 20_000

    private let type: EventType
    private let time: Instant
    private let project: ProjectSettings
    private let accountID: String?
    private let providerID: String?
    private let account: Account?

    /// - Parameter account: as it is now; `nil` when it is deleted.
    package init(_ event: OutgoingEvent, of account: Account?, in project: ProjectSettings) {
        type = event.type
        time = event.happenedAt
        self.project = project
        accountID = event.accountID
        providerID = event.providerID
        self.account = account
    }

    /// An event that says nothing, by which an operator tries an endpoint.
    package init(testAt time: Instant, in project: ProjectSettings) {
        type = .test
        self.time = time
        self.project = project
        (accountID, providerID, account) = (nil, nil, nil)
    }

    package var bytes: [UInt8] {
        let whole = written(withLists: true)
        return whole.count < Self.longest ? whole : written(withLists: false)
    }

    /// - Parameter withLists: whether the person has `providerData` and `mfaInfo`.
    private func written(withLists: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.field("type", type.rawValue)
            json.field("timestamp", Timestamp.text(time))
            json.object("data") { json in
                json.field("project", project.id)
                json.field("tenant", project.tenant?.id)
                json.field("uid", accountID)
                json.field("providerId", providerID)
                // A time, so that a receiver can tell which of two came first.
                if accountID != nil { json.field("sequence", time.microseconds) }
                if let account { json.object("user") { Self.write(account, withLists: withLists, to: &$0) } }
            }
        }
        return json.bytes
    }

    private static func write(_ account: Account, withLists: Bool, to json: inout JSONWriter) {
        json.field("uid", account.id)
        json.field("email", account.email)
        json.field("emailVerified", account.emailVerified)
        json.field("displayName", account.displayName)
        json.field("photoURL", account.photoURL)
        json.field("phoneNumber", account.phoneNumber)
        json.field("disabled", account.disabled)
        json.object("metadata") { json in
            json.field("creationTime", Timestamp.text(account.createdAt))
            json.field("lastSignInTime", account.lastLoginAt.map(Timestamp.text))
        }
        json.field("customClaims", json: account.customAttributes.flatMap { try? JSON.parse($0) })
        guard withLists else { return }
        json.array("providerData") { json in
            if account.hasEmailSignIn, let email = account.email {
                json.object { json in
                    json.field("providerId", SignInProvider.password)
                    json.field("uid", email)
                    json.field("email", email)
                    json.field("displayName", account.displayName)
                    json.field("photoURL", account.photoURL)
                }
            }
            for identity in account.identities {
                json.object { json in
                    json.field("providerId", identity.providerID)
                    json.field("uid", identity.subject)
                    json.field("email", identity.email)
                    json.field("displayName", identity.displayName)
                    json.field("photoURL", identity.photoURL)
                }
            }
            if let phoneNumber = account.phoneNumber {
                json.object { json in
                    json.field("providerId", SignInProvider.phone)
                    json.field("uid", phoneNumber)
                    json.field("phoneNumber", phoneNumber)
                }
            }
        }
        if let factors = account.secondFactors { json.field("mfaInfo", json: try? JSON.parse(factors)) }
    }
}
