import Accounts
import JSON
import Text

/// A member of `identities` of one of Auth0's users. <https://auth0.com/docs/manage-users/user-accounts/user-profiles/user-profile-structure>
struct Auth0Identity {
    /// How a user signs in by it.
    enum Kind {
        /// By a password, which the file of hashes has under this id.
        case password(id: UTF8Text)
        case emailCode
        case phoneCode
        case upstream(LinkedIdentity)
    }

    let kind: Kind

    /// The names of Auth0's social connections that are known here.
    /// <https://marketplace.auth0.com/features/social-connections>
    static let providers: [UTF8Text: String] = [
        "apple": "apple.com", "facebook": "facebook.com", "github": "github.com", "google-oauth2": "google.com",
        "linkedin": "linkedin.com", "twitter": "twitter.com", "windowslive": "microsoft.com", "yahoo": "yahoo.com",
    ]

    /// The kinds of connections that speak SAML.
    private static let saml: Set<UTF8Text> = ["adfs", "pingfederate", "samlp"]

    /// Nil for one without a provider or an id.
    /// - Parameter profile: what the user's own members say, for the first identity, which has no data of its own.
    init?(_ identity: JSON.Object, profile: JSON.Object?, _ names: inout ProviderNames) {
        guard let provider = identity.text("provider"), let id = identity.id("user_id") else { return nil }
        switch provider {
        case "auth0": kind = .password(id: id)
        case "email": kind = .emailCode
        case "sms": kind = .phoneCode
        default:
            let connection = identity.text("connection") ?? provider
            for name in [connection, provider] { names.meet(name) }
            let data = identity["profileData"]?.object ?? profile ?? [:]
            // Of connections that an app has defined, ids begin with the connection.
            let isPrefixed = id.hasPrefix("\(connection)|")
            kind = .upstream(
                LinkedIdentity(
                    providerID: Self.id(of: provider, connection, names),
                    subject: isPrefixed ? String(id.asString.utf8.dropFirst(connection.utf8.count + 1)) ?? "" : id.asString,
                    email: data.text("email")?.asString, emailVerified: data["email_verified"]?.bool ?? false,
                    displayName: data.text("name")?.asString, photoURL: data.text("picture")?.asString,
                    screenName: data.text("screen_name", "nickname")?.asString))
        }
    }

    private static func id(of provider: UTF8Text, _ connection: UTF8Text, _ names: ProviderNames) -> String {
        if let id = names[connection] ?? names[provider] { return id }
        return saml.contains(provider) ? "saml.\(ProviderNames.label(connection))" : names.id(of: connection)
    }
}
