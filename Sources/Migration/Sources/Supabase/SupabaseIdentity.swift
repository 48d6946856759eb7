import Accounts
import JSON
import Text

/// A row of Supabase's `auth.identities`: an upstream identity of a user.
struct SupabaseIdentity {
    /// Nil for an identity that is the user's own address or number.
    var linked: LinkedIdentity?
    /// The reason why the identity cannot be linked.
    var fault: String?

    /// The names by which Supabase's providers are known here, without those that are an issuer of OpenID Connect.
    /// <https://supabase.com/docs/guides/auth/social-login>
    static let providers: [UTF8Text: String] = [
        "apple": "apple.com", "azure": "microsoft.com", "facebook": "facebook.com", "github": "github.com", "google": "google.com",
        "linkedin_oidc": "linkedin.com", "twitter": "twitter.com", "x": "twitter.com",
    ]

    /// Signs in by the address or number of the user, which the user's row has.
    private static let own: Set<UTF8Text> = ["anonymous", "email", "phone"]

    /// - Parameter names: how the names of providers become ours.
    init(_ row: DumpedRow, _ names: inout ProviderNames) throws(ImportFault) {
        guard let provider = try row.text("provider") else {
            fault = "an identity has no provider"
            return
        }
        if Self.own.contains(provider) { return }
        // Until 2023, the column of that name was the subject.
        let subjects = [try row.text("provider_id"), try row.text("id")]
        guard let subject = subjects.lazy.compactMap(\.self).first else {
            fault = "the identity of \(provider) has no provider_id"
            return
        }
        let text = try row.text("identity_data")
        guard let data = (try? JSON.parse(text?.asString ?? "{}"))?.object else {
            fault = "the identity_data of \(provider) is not a JSON object"
            return
        }
        let id = Self.id(of: provider, &names)
        linked = LinkedIdentity(
            providerID: id, subject: Self.subject(subject, of: id, data), email: data.text("email")?.asString,
            emailVerified: data["email_verified"]?.bool ?? false, displayName: data.text("full_name", "name")?.asString,
            photoURL: data.text("avatar_url", "picture")?.asString,
            screenName: data.text("user_name", "preferred_username")?.asString)
    }

    /// `sso:` and an id is a connection of SAML, and `custom:` and a name a provider that the project has defined.
    private static func id(of provider: UTF8Text, _ names: inout ProviderNames) -> String {
        names.meet(provider)
        if let id = names[provider] { return id }
        if provider.hasPrefix("sso:") { return "saml.\(UTF8Text(provider.utf8.dropFirst(4)))" }
        guard provider.hasPrefix("custom:") else { return names.id(of: provider) }
        let own = UTF8Text(provider.utf8.dropFirst(7))
        names.meet(own)
        return names.id(of: own)
    }

    /// Microsoft's subjects differ for each registered app, and this server knows people by their object id. Newer rows have both.
    private static func subject(_ subject: UTF8Text, of providerID: String, _ data: JSON.Object) -> String {
        guard providerID == "microsoft.com" else { return subject.asString }
        guard let objectID = data["custom_claims"]?["oid"]?.string, !objectID.isEmpty else { return "sub:\(subject)" }
        return objectID.asciiLowercased.asString
    }

    private init(linked: LinkedIdentity?, fault: String?) { (self.linked, self.fault) = (linked, fault) }
}

extension SupabaseIdentity {
    /// The texts that an index keeps of it.
    var texts: [String?] {
        guard let linked else { return [fault] }
        return [
            linked.providerID, linked.subject, linked.email, linked.emailVerified ? "t" : nil, linked.displayName, linked.photoURL,
            linked.screenName,
        ]
    }

    init(_ texts: [String?]) {
        guard texts.count == 7, let provider = texts[0], let subject = texts[1] else {
            self.init(linked: nil, fault: texts[0])
            return
        }
        self.init(
            linked: LinkedIdentity(
                providerID: provider, subject: subject, email: texts[2], emailVerified: texts[3] != nil, displayName: texts[4],
                photoURL: texts[5], screenName: texts[6]), fault: nil)
    }
}
