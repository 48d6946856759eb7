import JSON
import Text

/// The things that a Firebase project has beside its accounts, for the operator of a project that is about to take them over.
package struct FirebaseSurvey: Sendable {
    /// How Firebase has hashed the passwords; `nil` where Google does not say it.
    package internal(set) var hashes: HashParameters?
    package internal(set) var authorizedDomains: [String] = []
    package internal(set) var methods: Methods?
    /// Those that are switched on.
    package internal(set) var providers: [FirebaseProvider] = []
    package internal(set) var tenants: [Tenant] = []
    /// The number of accounts without those of tenants, as Google counts them.
    package internal(set) var count: Int?
    /// Sentences about what Google has refused to say, and what follows from it.
    package internal(set) var refusals: [String] = []

    init() {}

    /// The ways to sign in without a provider.
    package struct Methods: Sendable, Equatable {
        package let password, emailLink, anonymous, phone: Bool

        init(_ signIn: JSON?) {
            password = signIn?["email"]?["enabled"]?.bool ?? false
            emailLink = password && !(signIn?["email"]?["passwordRequired"]?.bool ?? false)
            anonymous = signIn?["anonymous"]?["enabled"]?.bool ?? false
            phone = signIn?["phoneNumber"]?["enabled"]?.bool ?? false
        }

        /// - Parameter tenant: the resource of a tenant, where phones are always off.
        init(ofTenant tenant: JSON) {
            password = tenant["allowPasswordSignup"]?.bool ?? false
            emailLink = tenant["enableEmailLinkSignin"]?.bool ?? false
            anonymous = tenant["enableAnonymousUser"]?.bool ?? false
            phone = false
        }
    }

    package struct Tenant: Sendable, Equatable {
        package let id: String
        /// `nil` where Google does not say it.
        package let count: Int?
        /// Whether its passwords are hashed with another key than the project's.
        package let hasOwnKey: Bool
    }
}

/// A provider that the Firebase project has switched on.
package struct FirebaseProvider: Sendable, Equatable {
    package let id: String
    package let clientID: String?
    package let issuer: String?
    /// Of Apple: the developer team, the key that signs in place of a secret, and the native apps.
    package let teamID, keyID: String?
    package let bundleIDs: [String]

    /// `nil` for one that is switched off.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.defaultSupportedIdpConfigs>
    init?(_ json: JSON) {
        guard json["enabled"]?.bool ?? false, let id = json["name"]?.string.flatMap(Self.id(in:)) else { return nil }
        self.id = id
        (clientID, issuer) = (Self.text(json["clientId"]), Self.text(json["issuer"]))
        let apple = json["appleSignInConfig"]
        (teamID, keyID) = (Self.text(apple?["codeFlowConfig"]?["teamId"]), Self.text(apple?["codeFlowConfig"]?["keyId"]))
        bundleIDs = (apple?["bundleIds"]?.array ?? []).compactMap(Self.text)
    }

    private static func text(_ json: JSON?) -> String? { json?.string.flatMap { $0.isEmpty ? nil : $0.asString } }

    /// The last part of a name such as `projects/acme-prod/oauthIdpConfigs/oidc.acme`.
    static func id(in name: UTF8Text) -> String? {
        name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
    }
}
