import Accounts
import Postgres
import ProjectSettings
import Text
import WebAuthn

/// The errors of an account, its password and its custom tokens.
extension Failure {
    package static let missingEmail = Failure("MISSING_EMAIL")
    package static let invalidEmail = Failure("INVALID_EMAIL")
    package static let invalidPhoneNumber = Failure("INVALID_PHONE_NUMBER", "Invalid format.")
    package static let missingPhoneNumber = Failure("MISSING_PHONE_NUMBER")
    package static let invalidAppSignatureHash = Failure(
        "INVALID_ARGUMENT", "appSignatureHash is not eleven letters of base64.", kind: .badRequest)
    package static let missingPassword = Failure("MISSING_PASSWORD")
    package static let missingIdentifier = Failure("MISSING_IDENTIFIER")
    package static let invalidIdentifier = Failure("INVALID_IDENTIFIER")
    package static let missingCustomToken = Failure("MISSING_CUSTOM_TOKEN")
    package static let passwordsNotAllowed = operationNotAllowed("Password sign-in is disabled for this project.")
    /// The same, where Firebase answers a call that signs in or sets a password by a code.
    package static let passwordLoginDisabled = Failure("PASSWORD_LOGIN_DISABLED")

    init(describing error: AccountError) {
        self =
            switch error {
            case .accountNotFound: Failure("USER_NOT_FOUND")
            case .accountDisabled: Failure("USER_DISABLED")
            case .sessionEnded: Failure("TOKEN_EXPIRED")
            case .invalidIDToken: Failure("INVALID_ID_TOKEN")
            case .invalidRefreshToken: Failure("INVALID_REFRESH_TOKEN")
            case .wrongProject: Failure("PROJECT_NUMBER_MISMATCH")
            case .noSuchEmail: Failure("EMAIL_NOT_FOUND")
            case .wrongPassword: Failure("INVALID_PASSWORD")
            case .invalidCredentials(of: _): Failure("INVALID_LOGIN_CREDENTIALS")
            case .addressNeeded: .missingEmail
            case .signInTooOld: Failure("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            case .adminOnly: Failure("ADMIN_ONLY_OPERATION")
            case .emailNeedsVerification: .operationNotAllowed("Please verify the new email before changing email.")
            case .emailTaken: Failure("EMAIL_EXISTS")
            case .phoneNumberTaken: Failure("PHONE_NUMBER_EXISTS")
            case .invalidPhoneNumber: .invalidPhoneNumber
            case .regionNotEnabled: .operationNotAllowed("SMS unable to be sent until this region enabled by the app developer.")
            case .invalidPhoneProof: Failure("INVALID_TEMPORARY_PROOF")
            case .phoneBesideSecondFactor:
                Failure("UNSUPPORTED_FIRST_FACTOR", "A phone number cannot be set as a first factor on an SMS based MFA user.")
            case .accountIDTaken: Failure("DUPLICATE_LOCAL_ID")
            case .identityTaken: Failure("FEDERATED_USER_ID_ALREADY_LINKED")
            // "User mismatch" in the SDKs; USER_NOT_FOUND would sign the present user out.
            case .noSuchIdentity: Failure("EMAIL_NOT_FOUND")
            case .tenantChanged: .invalidIDPResponse("This identity belongs to another tenant of the provider.")
            case .flowRefused: .invalidIDPResponse("The sign-in is unknown, used up or expired, or was started elsewhere.")
            case .invalidPendingToken: Failure("INVALID_PENDING_TOKEN")
            case .passkeysNotEnabled: .passkeysNotEnabled
            case .passkeyLimitReached: Failure("PASSKEY_LIMIT_EXCEEDED")
            case .passkeyTaken: Failure("PASSKEY_EXISTS")
            case .noSuchPasskey: Failure("PASSKEY_ENROLLMENT_NOT_FOUND")
            case .passkeyResponseMissing: Failure("MISSING_AUTHENTICATOR_RESPONSE")
            case .passkeyChallengeRefused: Failure("PASSKEY_CHALLENGE_TIMEOUT")
            case .passkeyRefused(let check): Failure("INVALID_AUTHENTICATOR_RESPONSE", check.rawValue)
            case .grantRefused: .invalidGrant
            case .grantOfOtherFlow: .grantOfOtherFlow
            case .scopeTooWide: .scopeTooWide
            case .redirectURIMissing: .invalidRequest("The parameter redirect_uri is missing; the authorization request had one.")
            case .customToken(let error): Failure(describing: error)
            case .assertionRefused(let reason): .invalidGrant.saying(reason)
            case .assertionLacksScope: .invalidScope.saying("The assertion has no scope by which accounts are administered.")
            case .accessTokenRefused: .unknownBearer
            case .otherProjectsAdministrator(let email): .otherProject(email)
            case .rightMissing(let right, let email):
                Failure(
                    "PERMISSION_DENIED", "The service account \(email) does not have the right \(right.rawValue).", kind: .forbidden)
            case .weakPassword(let text): Failure("WEAK_PASSWORD", text)
            case .passwordRequirements(let missing):
                Failure("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "Missing password requirements: [\(missing.joined(separator: ", "))]")
            // SDKs sign their person out at an error in JSON, and another try succeeds.
            case .tooManyAttempts(.migrateSession, by: _), .quotaExceeded(.migrateSession), .tooManyAttempts(.migrateAccount, by: _),
                .quotaExceeded(.migrateAccount):
                .unavailable
            case .tooManyAttempts(let action, by: let scope): .tooManyAttempts(action, by: scope)
            case .quotaExceeded(let action):
                Failure("QUOTA_EXCEEDED", "Exceeded the project's quota for \(action.rawValue). Try again later.", signInCodes: .later)
            case .invalidActionCode, .voidDigits: Failure("INVALID_OOB_CODE")
            case .expiredActionCode: Failure("EXPIRED_OOB_CODE")
            case .emailMismatch: Failure("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
            case .wrongCode: Failure("INVALID_CODE")
            case .codeSessionUnknown: Failure("INVALID_SESSION_INFO")
            case .codeSessionExpired: Failure("SESSION_EXPIRED")
            case .secondFactor(let error): Failure(describing: error)
            case .blockedByFunction(let text): Failure("BLOCKING_FUNCTION_ERROR_RESPONSE", text.isEmpty ? nil : text)
            case .refusedByHook(let refusal): Failure(describing: refusal)
            case .hookUnavailable(let event): .hookUnavailable(event)
            case .formerIssuerUnavailable, .conflict, .overloaded, .database(.unavailable), .database(.timedOut), .database(.locked):
                Failure.unavailable
            case .noSigningKey, .sealBroken, .hashKeyMissing, .database: .internal
            }
    }

    /// These are Firebase's own texts, since apps show them to people.
    private static func tooManyAttempts(_ action: LimitedAction, by scope: LimitScope) -> Failure {
        func refusal(_ text: String) -> Failure { Failure("TOO_MANY_ATTEMPTS_TRY_LATER", text, signInCodes: .later) }
        return switch (action, scope) {
        case (.sendPasswordReset, _): Failure("RESET_PASSWORD_EXCEED_LIMIT")
        case (.password, .account), (.password, .accountAndAddress):
            refusal(
                "Access to this account has been temporarily disabled due to many failed login attempts. You can immediately restore it by "
                    + "resetting your password or you can try again later.")
        case (_, .address): refusal("We have blocked all requests from this device due to unusual activity. Try again later.")
        default: refusal("Too many attempts. Try again later.")
        }
    }

    private init(describing error: CustomTokenError) {
        self =
            switch error {
            case .invalid(let reason): Failure("INVALID_CUSTOM_TOKEN", reason)
            case .otherProject: Failure("CREDENTIAL_MISMATCH")
            case .tenant: .tenantIDMismatch
            case .missingUID: .missingIdentifier
            case .invalidClaims: Failure("INVALID_CLAIMS")
            case .forbiddenClaim(let name): Failure("FORBIDDEN_CLAIM", name.asString)
            case .claimsTooLarge: Failure("CLAIMS_TOO_LARGE")
            }
    }
}
