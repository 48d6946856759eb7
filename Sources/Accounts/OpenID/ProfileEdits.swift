import JSON
package import ProjectSettings
import Text

/// The claims that a person may set besides name, address and picture, by the names of OpenID Connect's standard claims.
/// <https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims>
package enum ProfileClaim: String, Sendable, CaseIterable {
    case givenName = "given_name"
    case familyName = "family_name"
    case middleName = "middle_name"
    case nickname
    case profile
    case website
    case gender
    case birthdate
    case zoneinfo
    case locale
    case phoneNumber = "phone_number"
    case address

    /// The scope that gives it to a relying party.
    var scope: String {
        switch self {
        case .phoneNumber: "phone"
        case .address: "address"
        default: "profile"
        }
    }
}

extension Account {
    /// The values that the person gave. `address` is the formatted address.
    package var profileClaims: [ProfileClaim: String] {
        guard let profile, let object = try? JSON.parse(profile).object else { return [:] }
        let claims = ProfileClaim.allCases.compactMap { claim in object[UTF8Text(claim.rawValue)]?.string.map { (claim, $0.asString) } }
        return Dictionary(claims, uniquingKeysWith: { first, _ in first })
    }
}

/// Changes what a person says of themselves, in their session at the pages.
package struct ProfileEdits: Sendable {
    let storage: Storage
    let limits: RateLimits

    /// Stores a name and other values in place of the present ones; an empty text removes a value.
    ///
    /// Throws `conflict` when the session has ended, or the account changed in the meantime.
    package func edit(
        displayName: String?, _ values: [ProfileClaim: String], in session: BrowserSession, of project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) {
        try await limits.charge(Attempt(.update, from: client, accountID: session.account.id, in: project))
        var changed = session.account
        if let displayName { changed.displayName = displayName.isEmpty ? nil : displayName }
        changed.profile = ProfileClaim.stored(changed.profileClaims.merging(values) { $1 })
        _ = try await storage.write(
            all: [changed.update(from: session.account, passwordHash: nil, in: project)] + session.hold(in: project),
            waitingFor: session.account.id)
    }
}

extension ProfileClaim {
    /// The values as the text of a JSON object; `nil` when all are empty.
    static func stored(_ values: [ProfileClaim: String]) -> String? {
        let members = values.filter { !$0.value.isEmpty }.sorted { $0.key.rawValue < $1.key.rawValue }
        guard !members.isEmpty else { return nil }
        return JSON.object(JSON.Object(members.map { (UTF8Text($0.key.rawValue), .string($0.value)) })).text()
    }
}
