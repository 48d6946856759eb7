import Crypto
import JOSE
import JSON
package import ProjectSettings
package import Runtime
import Text

/// Signs the token in which a hook is asked, in the form of Firebase's blocking functions, with the keys of ID tokens.
///
/// Its audience is the hook's, a URL, so it is no ID token, and no ID token is one of these (SEC-59). It has no password and no hash.
/// <https://firebase.google.com/docs/auth/extend-with-blocking-functions>
package struct HookTokens: Sendable {
    /// A page that gets the token later has not been waited for.
    private static let lifetime: Int64 = 30

    let clock: Clock
    let signingKeys: SigningKeys
    let publicURL: String

    package init(clock: Clock, signingKeys: SigningKeys, publicURL: String) {
        self.clock = clock
        self.signingKeys = signingKeys
        self.publicURL = publicURL
    }

    package func token(for question: HookQuestion, to hook: BlockingHook, in project: ProjectSettings) throws(AccountError) -> String {
        let now = clock.now()
        var claims = JSONWriter(capacity: 1024)
        claims.object { claims in
            claims.field("iss", project.issuer(publicURL: publicURL))
            claims.field("aud", hook.audience)
            claims.field("iat", now.seconds)
            claims.field("exp", now.seconds + Self.lifetime)
            claims.field("tenant_id", project.tenant?.id)
            claims.field("event_id", question.id)
            claims.field("event_type", question.event.rawValue)
            // Receivers read these two without asking whether they are there.
            claims.field("user_agent", question.userAgent ?? "")
            claims.field("ip_address", question.address)
            claims.field("locale", question.locale)
            switch question.subject {
            case .signIn(let signIn): signIn.write(to: &claims, forwarding: hook.forwarded, in: project)
            case .mail(let kind, let email):
                claims.field("email_type", kind.rawValue)
                claims.field("email", email)
            case .message(let purpose, let number):
                claims.field("sms_type", purpose.hookName)
                claims.field("phone_number", number)
            }
        }
        let signer = try signingKeys.signer(for: .rs256, at: now)
        do { return try signer.sign(claims: claims.bytes) } catch { throw .noSigningKey(.rs256) }
    }
}

extension PhonePurpose {
    /// Firebase's name of what the message is for.
    fileprivate var hookName: String {
        switch self {
        case .signIn: "SIGN_IN_OR_SIGN_UP"
        case .enrol: "MULTI_FACTOR_ENROLLMENT"
        case .mfaSignIn: "MULTI_FACTOR_SIGN_IN"
        }
    }
}

extension HookedSignIn {
    fileprivate func write(
        to claims: inout JSONWriter, forwarding forwarded: Set<BlockingHook.ForwardedToken>, in project: ProjectSettings
    ) {
        claims.field("sub", account.id)
        claims.field("sign_in_method", method)
        claims.field("sign_in_second_factor", secondFactor?.kind)
        claims.object("user_record") { account.write(toHook: &$0, in: project) }
        guard let credential else { return }
        claims.field("raw_user_info", credential.rawUserInfo)
        if forwarded.contains(.idToken) { claims.field("oauth_id_token", credential.idToken) }
        if forwarded.contains(.accessToken) {
            claims.field("oauth_access_token", credential.accessToken)
            claims.field("oauth_token_secret", credential.tokenSecret)
            claims.field("oauth_expires_in", credential.expiresIn.map(Int64.init))
        }
        if forwarded.contains(.refreshToken) { claims.field("oauth_refresh_token", credential.refreshToken) }
    }
}

extension Account {
    /// The person as receivers read them: `provider_data` is always there, and each second factor has a `uid`.
    fileprivate func write(toHook json: inout JSONWriter, in project: ProjectSettings) {
        json.field("uid", id)
        json.field("tenant_id", project.tenant?.id)
        json.field("email", email)
        json.field("email_verified", emailVerified)
        json.field("display_name", displayName)
        json.field("photo_url", photoURL)
        json.field("phone_number", phoneNumber)
        json.field("disabled", disabled)
        json.field("custom_claims", json: customAttributes.flatMap { try? JSON.parse($0) })
        json.object("metadata") { json in
            json.field("creation_time", createdAt.milliseconds)
            json.field("last_sign_in_time", lastLoginAt?.milliseconds)
        }
        json.field("tokens_valid_after_time", validSince.seconds)
        json.array("provider_data") { json in
            if hasEmailSignIn, let email {
                json.object { json in
                    json.field("provider_id", SignInProvider.password)
                    json.field("uid", email)
                    json.field("email", email)
                    json.field("display_name", displayName)
                    json.field("photo_url", photoURL)
                }
            }
            for identity in identities {
                json.object { json in
                    json.field("provider_id", identity.providerID)
                    json.field("uid", identity.subject)
                    json.field("email", identity.email)
                    json.field("display_name", identity.displayName)
                    json.field("photo_url", identity.photoURL)
                }
            }
            if let phoneNumber {
                json.object { json in
                    json.field("provider_id", SignInProvider.phone)
                    json.field("uid", phoneNumber)
                    json.field("phone_number", phoneNumber)
                }
            }
        }
        let factors = SecondFactors(secondFactors).answerable
        guard !factors.isEmpty else { return }
        json.object("multi_factor") { json in
            json.array("enrolled_factors") { json in for factor in factors { json.object { factor.write(toHook: &$0) } } }
        }
    }
}

extension SecondFactors.Factor {
    fileprivate func write(toHook json: inout JSONWriter) {
        json.field("uid", id)
        json.field("display_name", displayName)
        json.field("enrollment_time", enrolledAt)
        switch kind {
        case .phone(let number):
            json.field("factor_id", SecondFactorProof.phone)
            json.field("phone_number", number)
        case .totp: json.field("factor_id", SecondFactorProof.totp)
        case .other: break
        }
    }
}
