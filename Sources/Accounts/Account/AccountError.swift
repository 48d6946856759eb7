package import Postgres

/// Why a rule said no, or that the database could not be asked.
package enum AccountError: Error {
    case accountNotFound
    case accountDisabled
    /// The ID token or session is over: expired, revoked, or from before the account's `validSince`.
    case sessionEnded
    case invalidIDToken
    case invalidRefreshToken
    /// The refresh token belongs to another project.
    case wrongProject
    /// No account has this address; told only where addresses are not protected from enumeration.
    case noSuchEmail
    /// The account has another password, or none; told only where addresses are not protected from enumeration.
    case wrongPassword
    /// One of the two above, without telling which.
    case invalidCredentials
    /// A password needs an address to sign in with.
    case addressNeeded
    /// The sign-in is not fresh enough for what was asked.
    case signInTooOld
    /// Only administrators may do this: apps may not make, or may not delete, accounts of this project.
    case adminOnly
    /// The project protects addresses from enumeration, so an address changes only by a mail to it.
    case emailNeedsVerification
    /// The address belongs to another account of a project that allows one account an address.
    case emailTaken
    /// The identity to link belongs to an account already.
    case identityTaken
    /// Nobody has this identity, and the caller asked not to make an account.
    case noSuchIdentity
    /// A known subject arrived from another tenant of its provider.
    case tenantChanged
    /// No such flow, or its time, its status or a secret does not fit. One answer for all, so that nothing can be probed.
    case flowRefused
    case invalidPendingToken
    case customToken(CustomTokenError)
    /// No such action code, or one that was used, or of another kind, or of another address than the account has now.
    case invalidActionCode
    case expiredActionCode
    /// Another address than the one that the code was mailed to.
    case emailMismatch
    /// What a write relied on changed since it was read; nothing of it was kept.
    case overtaken
    /// The password is too short for any project; the words are the answer's.
    case weakPassword(String)
    /// What the project's policy asks of a password and this one lacks, in the order and words of the API.
    case passwordRequirements([String])
    /// More passwords wait to be hashed than can be in time.
    case overloaded
    /// The caller, or the account that is tried, has had their share of this for now; nothing was done.
    case tooManyAttempts(LimitedAction, by: LimitScope)
    /// The project has had its share of this for now; nothing was done.
    case quotaExceeded(LimitedAction)
    /// A sealed value did not open: the master key is not the one it was sealed with.
    case sealBroken(String)
    case database(PostgresError)
}
