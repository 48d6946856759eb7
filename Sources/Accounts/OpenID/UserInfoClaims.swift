import Crypto
import Identity
package import JSON
package import ProjectSettings
import Text

/// The standard claims about a person that a relying party may have.
/// <https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims>
package struct UserInfoClaims: Sendable {
    let scopes: Set<String>
    let requested: Set<String>

    /// - Parameters:
    ///   - scopes: those that were granted.
    ///   - requested: single claims, of the parameter `claims`. They are checked already: the client may have their scopes.
    package init(scopes: Set<String>, requested: [String]) {
        self.scopes = scopes
        self.requested = Set(requested)
    }

    /// The scope that gives a claim to a relying party; `nil` for a claim that no scope gives.
    package static func scope(of claim: String) -> String? {
        switch claim {
        case "name", "picture", "preferred_username": "profile"
        case "email", "email_verified": "email"
        default: ProfileClaim(rawValue: claim)?.scope
        }
    }

    fileprivate func has(_ claim: String, of scope: String) -> Bool { scopes.contains(scope) || requested.contains(claim) }
}

extension Account {
    /// Writes the claims that the relying party may have and that the account has a value for.
    package func write(_ wanted: UserInfoClaims, to json: inout JSONWriter) {
        if wanted.has("name", of: "profile"), let displayName { json.field("name", displayName) }
        if wanted.has("picture", of: "profile"), let photoURL { json.field("picture", photoURL) }
        if wanted.has("preferred_username", of: "profile"), let name = identities.lazy.compactMap(\.screenName).first {
            json.field("preferred_username", name)
        }
        let profile = profileClaims
        for claim in ProfileClaim.allCases where wanted.has(claim.rawValue, of: claim.scope) {
            guard let value = profile[claim] else { continue }
            if claim == .address { json.object(claim.rawValue) { $0.field("formatted", value) } } else { json.field(claim.rawValue, value) }
        }
        if wanted.has("email", of: "email"), let email { json.field("email", email) }
        if wanted.has("email_verified", of: "email"), email != nil { json.field("email_verified", emailVerified) }
    }

    /// Writes a claim of a user flow, in the names of Azure AD B2C's tokens.
    func write(_ claim: UserFlow.Claim, of session: Session, isNewUser: Bool, to json: inout JSONWriter, in project: ProjectSettings) {
        switch claim {
        case .objectId: json.field("oid", objectID(in: project))
        case .displayName: if let displayName { json.field("name", displayName) }
        case .givenName: if let name = profileClaims[.givenName] { json.field("given_name", name) }
        case .surname: if let name = profileClaims[.familyName] { json.field("family_name", name) }
        case .emails:
            guard let email else { return }
            json.array("emails") { $0.value(email) }
            json.field("email", email)
            json.field("email_verified", emailVerified)
        case .identityProvider: json.field("idp", session.signInProvider)
        case .isNewUser: if isNewUser { json.field("newUser", true) }
        }
    }

    /// The account's id in the form of a GUID, as clients of Azure AD B2C expect it: a UUID of version 5, of a name space that belongs to
    /// the project. It is the same for ever. <https://www.rfc-editor.org/rfc/rfc9562#section-5.5>
    package func objectID(in project: ProjectSettings) -> String {
        let namespace = Array(Digest.sha1(Self.objectIDs + Array(String(project.number).utf8)).prefix(16))
        var bytes = Array(Digest.sha1(namespace + Array(id.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array(Hex.encode(bytes).utf8)
        let parts = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// The name space of all projects' name spaces: any 16 bytes that never change.
    private static let objectIDs = Array("gatehouse objects".utf8)
}
