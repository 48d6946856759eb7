package import JOSE
package import Postgres
package import ProjectSettings
package import WebAuthn

/// The reason why a rule refused, or why the database could not be asked.
package enum AccountError: Error {
    case accountNotFound
    case accountDisabled
    /// The ID token or session has ended: expired, revoked, or older than the account's `validSince`.
    case sessionEnded
    case invalidIDToken
    case invalidRefreshToken
    /// The refresh token belongs to another project.
    case wrongProject
    /// No account has this address; reported only where addresses are not protected from enumeration.
    case noSuchEmail
    /// The account has another password, or none; reported only where addresses are not protected from enumeration.
    case wrongPassword(of: String)
    /// One of the two above: the caller is not told which. For the log, with the account whose password is another one; without it, no
    /// account has the address.
    case invalidCredentials(of: String?)
    /// A password needs an address to sign in with.
    case addressNeeded
    /// The sign-in is not recent enough for this request.
    case signInTooOld
    /// Only administrators may do this: apps may not create, or may not delete, accounts of this project.
    case adminOnly
    /// The project protects addresses from enumeration, so an address changes only by a mail to it.
    case emailNeedsVerification
    /// The address belongs to another account, and the project allows only one account for each address.
    case emailTaken
    /// The phone number belongs to another account.
    case phoneNumberTaken
    /// Not a number in international form that can exist.
    case invalidPhoneNumber
    /// The project sends no messages to the region of the number.
    case regionNotEnabled
    /// The proof of a phone number is of another number, too old or used.
    case invalidPhoneProof
    /// A phone is not the first factor of an account that has second ones.
    case phoneBesideSecondFactor
    /// The administrator's id for a new account belongs to an account already.
    case accountIDTaken
    /// The identity to link belongs to an account already.
    case identityTaken
    /// No account has this identity, and the caller asked not to create one.
    case noSuchIdentity
    /// A known subject arrived from another tenant of its provider.
    case tenantChanged
    /// The flow does not exist, or its time, its status or a secret does not fit. The answer is always the same, so that callers cannot
    /// find out which.
    case flowRefused
    case invalidPendingToken
    /// The project has no passkeys.
    case passkeysNotEnabled
    /// The account has as many passkeys as one may have.
    case passkeyLimitReached
    /// An account of the project has this passkey already.
    case passkeyTaken
    case noSuchPasskey
    case passkeyResponseMissing
    /// The challenge was not made for this, was used, or has expired. The answer is always the same.
    case passkeyChallengeRefused
    /// The authenticator's response did not pass this check.
    case passkeyRefused(RefusedCheck)
    /// The code, refresh token or proof of a relying party does not fit. The answer is always the same, so that callers cannot find out
    /// which.
    case grantRefused
    /// The same, for a grant that fits but for the user flow by whose address it is used.
    case grantOfOtherFlow
    /// A relying party shows a code without the redirect URI of its request.
    case redirectURIMissing
    /// A relying party asks for more scopes than it was granted.
    case scopeTooWide
    case customToken(CustomTokenError)
    /// A service account's request for an access token, with the reason for its developer.
    case assertionRefused(String)
    /// The request names no scope that there is.
    case assertionLacksScope
    /// The access token of an administrator is not one of ours, has expired, or its key was revoked.
    case accessTokenRefused
    /// The service account with this e-mail is of another project.
    case otherProjectsAdministrator(String)
    /// The service account with this e-mail may not do this.
    case rightMissing(Administrator.Right, of: String)
    /// The action code does not exist, was used, is of another kind, or is for another address than the account has now.
    case invalidActionCode
    case expiredActionCode
    /// The digits of a mail were used, have expired, are void, or were tried too often: no others can be the right ones.
    case voidDigits
    /// Another address than the one that the code was mailed to.
    case emailMismatch
    /// The code of a text message or of an authenticator app is wrong, or was used.
    case wrongCode
    /// The code that was sent, or the factor that is being enrolled, does not exist, was used, or is another account's.
    case codeSessionUnknown
    case codeSessionExpired
    case secondFactor(SecondFactorError)
    /// Data that a write relied on has changed since it was read; nothing was written.
    case conflict
    /// The password is too short for any project; the answer shows this text.
    case weakPassword(String)
    /// The requirements of the project's policy that the password does not meet, in the order and words of the API.
    case passwordRequirements([String])
    /// Too many passwords wait to be hashed.
    case overloaded
    /// The caller, or the account that is tried, has reached a limit; nothing was done.
    case tooManyAttempts(LimitedAction, by: LimitScope)
    /// The project has reached a limit; nothing was done.
    case quotaExceeded(LimitedAction)
    /// No key is loaded that signs ID tokens with this algorithm.
    case noSigningKey(Algorithm)
    /// A sealed value did not open: it was sealed with another master key.
    case sealBroken(String)
    /// The account's password hash is one of another system, and the project does not have the key with this id that it needs.
    case hashKeyMissing(String)
    /// Firebase, where the people come from, does not answer, or does not take this server's own credentials. It says nothing about the
    /// person. With the reason for the log.
    case formerIssuerUnavailable(String)
    /// A function of the Firebase project, where the people come from, refuses the sign-in; the answer shows its text.
    case blockedByFunction(String)
    /// A hook of the project refuses what it was asked about.
    case refusedByHook(HookRefusal)
    /// A hook of the project gave no sound answer, and nothing goes on without one. The log has the reason.
    case hookUnavailable(HookEvent)
    case database(PostgresError)

    /// The text for the log: never a bound value, a token or a secret (SEC-21).
    package var logDetail: String {
        switch self {
        case .database(let error): "database: \(error)"
        case .noSigningKey(let algorithm): "no \(algorithm.rawValue) signing key is loaded"
        case .sealBroken(let what): "\(what) was sealed with another master key than the configured one"
        case .hashKeyMissing(let id): "a password hash needs the key '\(id)' of another system, which the project does not have"
        case .formerIssuerUnavailable(let reason): reason
        default: "\(self)"
        }
    }
}
