import Accounts

/// The errors of second factors, by Firebase's codes and texts.
extension Failure {
    package static let missingPendingCredential = Failure(
        "MISSING_MFA_PENDING_CREDENTIAL", "Request does not have MFA pending credential.")
    /// The same, where the last call of a sign-in lacks it.
    package static let missingCredential = Failure("MISSING_CREDENTIAL", "Please set MFA Pending Credential.")
    package static let missingEnrollmentID = Failure("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
    package static let missingPhoneEnrollmentInfo = Failure("INVALID_ARGUMENT", "((Missing phoneEnrollmentInfo.))")
    package static let missingPhoneVerificationInfo = Failure("INVALID_ARGUMENT", "((Missing phoneVerificationInfo.))")
    package static let missingCode = Failure("MISSING_CODE")
    package static let missingSessionInfo = Failure("MISSING_SESSION_INFO")
    package static let invalidFactorPhoneNumber = Failure("INVALID_MFA_PHONE_NUMBER", "Invalid format.")
    package static let invalidFactorID = Failure("INVALID_MFA_ENROLLMENT_ID", "It is too long, or has control characters.")
    package static let unsupportedSecondFactor = Failure("INVALID_ARGUMENT", "MFA provider not supported!")
    /// The account brought a second factor from another system that no call of this server asks for.
    package static let unanswerableSecondFactor = operationNotAllowed(
        "This account needs a second factor, which this server cannot ask for.")

    init(describing error: SecondFactorError) {
        self =
            switch error {
            case .pendingUnknown: Failure("INVALID_MFA_PENDING_CREDENTIAL")
            case .notFound: Failure("MFA_ENROLLMENT_NOT_FOUND")
            case .notEnabled(.totp): .operationNotAllowed("TOTP based MFA not enabled.")
            case .notEnabled(.sms): .operationNotAllowed("SMS based MFA not enabled.")
            case .notEnabled(.recoveryCode): .operationNotAllowed("Recovery codes are not enabled.")
            case .firstFactorUnsupported: Failure("UNSUPPORTED_FIRST_FACTOR", "MFA is not available for the given first factor.")
            case .emailUnverified: Failure("UNVERIFIED_EMAIL", "Need to verify email first before enrolling second factors.")
            case .tooMany: Failure("SECOND_FACTOR_LIMIT_EXCEEDED")
            case .exists: Failure("SECOND_FACTOR_EXISTS", "Phone number already enrolled as second factor for this account.")
            case .duplicateID: Failure("DUPLICATE_MFA_ENROLLMENT_ID")
            case .lastOfRequired: .operationNotAllowed("The project demands a second factor, and this is the account's last one.")
            case .unsupported: .unsupportedSecondFactor
            case .unanswerable: .unanswerableSecondFactor
            }
    }
}
