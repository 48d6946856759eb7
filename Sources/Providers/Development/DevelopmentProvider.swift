import Identity
import JSON
import Text

/// The rules of one provider in development mode: the claims are believed, and become the identity that Firebase's Auth emulator makes of
/// them. <https://github.com/firebase/firebase-tools/blob/master/src/emulator/auth/operations.ts>, `fakeFetchUserInfoFromIdp`
///
/// Differs from the emulator: a claim of a wrong type or length counts as absent.
struct DevelopmentProvider: ProviderRules {
    /// The address of the page that takes the place of the provider's.
    let page: String
    /// Adds what the provider's identities have beyond the claims.
    let addition: @Sendable (_ claims: JSON, inout ProviderIdentity) -> Void

    var storedIssuer: String { DevelopmentProviders.issuer }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity { try identity(evidence) }

    fileprivate func identity(_ evidence: Evidence) throws(ProviderError) -> ProviderIdentity {
        let claims = evidence.claims
        guard let subject = claims["sub"]?.string else {
            throw .invalidResponse("The made-up claims have no sub, a text that says who signs in.", detail: "")
        }
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidResponse("The sub of the made-up claims is empty, longer than 255 bytes, or has control characters.", detail: "")
        }
        var identity = evidence.identity(subject: subject.asString, rawUserInfo: claims.text())
        identity.displayName = claims.text("name")?.asString
        identity.screenName = claims.text("screen_name")?.asString
        identity.photoURL = claims.url("picture")
        if let email = evidence.address(claims["email"]?.string) {
            identity.email = email.asString
            // The emulator joins accounts by an address as soon as the claims say that it is verified.
            identity.emailVerified = claims.isTrue("email_verified")
            identity.emailAuthoritative = identity.emailVerified
        }
        addition(claims, &identity)
        return identity
    }
}

extension ConfiguredProvider {
    /// The person whom the credential describes, without any proof.
    func result(of provider: DevelopmentProvider, saying credential: Credential) throws(ProviderError) -> ProviderResult {
        guard let text = credential.idToken ?? credential.accessToken else {
            throw .invalidCredential("The credential has neither an ID token nor an access token.")
        }
        let evidence = Evidence(of: settings, claims: try MadeUpClaims.reading(text, of: settings.id), accessToken: nil, log: log)
        // Of some providers, SDKs make a credential of the access token alone, so there always is one.
        return ProviderResult(
            identity: try provider.identity(evidence), idToken: credential.idToken?.asString,
            accessToken: credential.accessToken?.asString ?? "FirebaseAuthEmulatorFakeAccessToken_\(settings.id)")
    }
}
