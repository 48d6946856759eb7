import Config
package import Text

/// How people of this project use the data of a Firebase project (Firestore, Storage, Realtime Database): `firestore` of a project's file.
///
/// These services trust tokens of Google's alone. So this server signs custom tokens for the Firebase project, which the app trades for them. This
/// goes on when nobody moves here any more (`FirebaseMigration`).
/// <https://firebase.google.com/docs/auth/admin/create-custom-tokens>
package struct FirestoreAccess: Sendable {
    /// The Firebase project that has the data.
    package var projectID: String
    /// Signs the custom tokens. It needs no role at Google.
    package var signer: GoogleServiceAccount
    /// May change accounts of the Firebase project: Google's sessions of a person end only by it, when theirs end here.
    package var administrator: GoogleServiceAccount
    /// The names of the claims that custom tokens may have, without repetition.
    package var claims: [UTF8Text] = []

    package init(projectID: String, signer: GoogleServiceAccount, administrator: GoogleServiceAccount) {
        self.projectID = projectID
        self.signer = signer
        self.administrator = administrator
    }

    /// The claim that names the session's `sign_in_provider`, which is `custom` in tokens of Google's.
    package static let providerClaim: UTF8Text = "gh_provider"
    /// The claim that names the second factor that the person has passed (`phone`, `totp`). It is absent where they have passed none.
    package static let secondFactorClaim: UTF8Text = "gh_mfa"
}

extension FirestoreAccess {
    init?(_ section: Section) {
        for (key, remedy) in [
            ("projectId", "the id of the Firebase project that has the data"),
            ("serviceAccount", "write {file: signer.json}, the key of a service account of the Firebase project that has no role"),
            (
                "administrator",
                "write {file: administrator.json}, the key of a service account with the role Firebase Authentication Admin; without it, a person "
                    + "who is disabled, deleted or signed out here would keep Google's session, and with it the data"
            ),
        ] {
            section.require(key, remedy)
        }
        let projectID = section.value("projectId", expected: "the id of a Firebase project, such as acme-prod") {
            ProjectSettings.isID($0) ? $0 : nil
        }
        let signer = GoogleServiceAccount(section, "serviceAccount")
        let administrator = GoogleServiceAccount(section, "administrator")
        let claims = Self.claims(section)
        section.finish()
        guard let projectID, let signer, let administrator else { return nil }
        self.init(projectID: projectID, signer: signer, administrator: administrator)
        self.claims = claims
        noteRisks(section)
    }

    private static func claims(_ section: Section) -> [UTF8Text] {
        var claims: [UTF8Text] = []
        for claim in section.strings("claims").map({ UTF8Text($0) }) {
            if ProjectSettings.CustomTokens.reservedClaims.contains(claim) {
                section.fault("claims", "\(claim.asString) is a name that Google allows in no custom token; give the claim another name")
            } else if claim.isEmpty || claims.contains(claim) {
                section.fault("claims", "has an empty name, or \(claim.asString) twice")
            } else {
                claims.append(claim)
            }
        }
        return claims
    }

    /// A key that signs makes its holder any person of the Firebase project. It should be able to do no more than that.
    private func noteRisks(_ section: Section) {
        let isGooglesAdministrator = signer.email.hasPrefix("firebase-adminsdk")
        if UTF8Text(signer.email) == UTF8Text(administrator.email) || isGooglesAdministrator {
            section.note(
                "serviceAccount",
                "is the key of \(signer.email), which \(isGooglesAdministrator ? "Google made for administrators of all data" : "is also administrator"); "
                    + "make a service account without any role for it, so that a stolen key does no more than it must")
        }
        if let other = signer.homeProject, other != UTF8Text(projectID) {
            section.note(
                "serviceAccount",
                "is the key of a service account of the project \(other.asString), and Firebase takes custom tokens only of accounts of \(projectID)"
            )
        }
    }
}

extension GoogleServiceAccount {
    /// The project in whose name the address is, as operators make service accounts; `nil` for those that Google makes by itself.
    fileprivate var homeProject: UTF8Text? {
        let suffix = ".iam.gserviceaccount.com"
        guard email.hasSuffix(suffix), let at = email.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        return UTF8Text(String(email[email.utf8.index(after: at)...].dropLast(suffix.utf8.count)))
    }
}
