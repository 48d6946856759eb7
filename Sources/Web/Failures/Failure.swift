import Accounts
import Brokerage
import Postgres
import Text

/// Every error that a caller may see: its wire code, the text shown with it, and its kind. This is the only such table; an error without a
/// line here is answered as a 500, and only the log explains it.
package struct Failure: Error, Equatable {
    package let code: String
    package let detail: String?
    package let kind: Kind

    /// The form in which an error is answered: a row of the table of errors in docs/wire.md.
    package enum Kind: Sendable, Equatable {
        /// 400 without `status`: almost everything.
        case business
        /// 400 `INVALID_ARGUMENT`: the request could not be read.
        case badRequest
        case invalidAPIKey
        case unauthenticated
        case forbidden
        case notFound
        case methodNotAllowed
        /// 503 with `Retry-After`.
        case unavailable
        case `internal`
    }

    package init(_ code: String, _ detail: String? = nil, kind: Kind = .business) {
        self.code = code
        self.detail = detail
        self.kind = kind
    }

    /// `CODE` or `CODE : detail`, with the separator that every SDK splits at.
    package var message: String { detail.map { "\(code) : \($0)" } ?? code }
}

extension Failure {
    package static let missingAPIKey = Failure(
        "The request is missing a valid API key.", kind: .forbidden)
    package static let invalidAPIKey = Failure("API key not valid. Please pass a valid API key.", kind: .invalidAPIKey)
    package static let unknownBearer = Failure("Invalid Credentials", kind: .unauthenticated)
    package static let unauthenticatedTarget = Failure(
        "INSUFFICIENT_PERMISSION", "Only authenticated requests can specify target_project_id.")
    package static let unsupportedTenantOperation = Failure("UNSUPPORTED_TENANT_OPERATION")
    package static let notOfThisMachine = Failure("This path answers only programs of the server's own machine.", kind: .forbidden)
    package static let foreignOrigin = Failure(
        "This path answers only pages of this machine and of the projects' authorizedDomains.", kind: .forbidden)
    package static let notFound = Failure("Not Found", kind: .notFound)
    package static let methodNotAllowed = Failure("Method Not Allowed", kind: .methodNotAllowed)
    package static let `internal` = Failure("INTERNAL", kind: .internal)
    package static let unavailable = Failure("UNAVAILABLE", kind: .unavailable)

    package static func invalidJSON(_ detail: String) -> Failure {
        Failure("Invalid JSON payload received. \(detail)", kind: .badRequest)
    }

    package static let missingIDToken = Failure("MISSING_ID_TOKEN")
    package static let missingEmail = Failure("MISSING_EMAIL")
    package static let missingPassword = Failure("MISSING_PASSWORD")
    package static let passwordsNotAllowed = Failure("OPERATION_NOT_ALLOWED", "Password sign-in is disabled for this project.")
    package static let invalidEmail = Failure("INVALID_EMAIL")
    package static let missingRequestURI = Failure("MISSING_REQUEST_URI")
    package static let invalidRequestURI = Failure("INVALID_REQUEST_URI")
    package static let missingContinueURI = Failure("MISSING_CONTINUE_URI")
    package static let invalidContinueURI = Failure("INVALID_CONTINUE_URI")
    package static let missingIdentifier = Failure("MISSING_IDENTIFIER")
    package static let missingGrantType = Failure("MISSING_GRANT_TYPE")
    package static let invalidGrantType = Failure("INVALID_GRANT_TYPE")
    package static let missingRefreshToken = Failure("MISSING_REFRESH_TOKEN")

    package static func invalidProviderID(_ detail: String? = nil) -> Failure { Failure("INVALID_PROVIDER_ID", detail) }
    package static func unauthorizedDomain(_ detail: String) -> Failure { Failure("UNAUTHORIZED_DOMAIN", detail) }
    package static func operationNotAllowed(_ detail: String) -> Failure { Failure("OPERATION_NOT_ALLOWED", detail) }
    package static func invalidIDPResponse(_ detail: String) -> Failure { Failure("INVALID_IDP_RESPONSE", detail) }
    /// SDKs have no code for this. They turn this one into their code for a failing network, and show this text.
    package static let providerUnavailable = Failure(
        "NETWORK_REQUEST_FAILED", "The sign-in provider does not answer at the moment. Please try again later.")
    package static func userCancelled(_ detail: String) -> Failure { Failure("USER_CANCELLED", detail) }
    package static func invalidCredential(_ detail: String) -> Failure {
        Failure("INVALID_CREDENTIAL_OR_PROVIDER_ID", "Invalid IdP response/credential: \(detail)")
    }
    package static func invalidArgument(_ detail: String) -> Failure { Failure(detail, kind: .badRequest) }

    /// The failure that the caller sees for any thrown error.
    package init(telling error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as AccountError: self.init(telling: error)
        case let error as BrokerageError: self.init(telling: error)
        default: self = .internal
        }
    }

    private init(telling error: AccountError) {
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
            case .invalidCredentials: Failure("INVALID_LOGIN_CREDENTIALS")
            case .addressNeeded: Failure("MISSING_EMAIL")
            case .signInTooOld: Failure("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            case .adminOnly: Failure("ADMIN_ONLY_OPERATION")
            case .emailNeedsVerification: .operationNotAllowed("Please verify the new email before changing email.")
            case .emailTaken: Failure("EMAIL_EXISTS")
            case .identityTaken: Failure("FEDERATED_USER_ID_ALREADY_LINKED")
            // "User mismatch" in the SDKs; USER_NOT_FOUND would sign the present user out.
            case .noSuchIdentity: Failure("EMAIL_NOT_FOUND")
            case .tenantChanged: .invalidIDPResponse("This identity belongs to another tenant of the provider.")
            case .flowRefused: .invalidIDPResponse("The sign-in is unknown, used up or expired, or was started elsewhere.")
            case .invalidPendingToken: Failure("INVALID_PENDING_TOKEN")
            case .customToken(let error): Failure(telling: error)
            case .weakPassword(let text): Failure("WEAK_PASSWORD", text)
            case .passwordRequirements(let missing):
                Failure("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "Missing password requirements: [\(missing.joined(separator: ", "))]")
            case .tooManyAttempts(let action, by: let scope): .tooManyAttempts(action, by: scope)
            case .quotaExceeded(let action):
                Failure("QUOTA_EXCEEDED", "Exceeded the project's quota for \(action.rawValue). Try again later.")
            case .invalidActionCode: Failure("INVALID_OOB_CODE")
            case .expiredActionCode: Failure("EXPIRED_OOB_CODE")
            case .emailMismatch: Failure("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
            case .overtaken, .overloaded, .database(.unavailable), .database(.timedOut): Failure.unavailable
            case .sealBroken, .database: .internal
            }
    }

    /// These are Firebase's own texts, since apps show them to people.
    private static func tooManyAttempts(_ action: LimitedAction, by scope: LimitScope) -> Failure {
        switch (action, scope) {
        case (.sendPasswordReset, _): Failure("RESET_PASSWORD_EXCEED_LIMIT")
        case (.password, .account), (.password, .accountAndAddress):
            Failure(
                "TOO_MANY_ATTEMPTS_TRY_LATER",
                "Access to this account has been temporarily disabled due to many failed login attempts. You can immediately restore it by "
                    + "resetting your password or you can try again later.")
        case (_, .address):
            Failure(
                "TOO_MANY_ATTEMPTS_TRY_LATER", "We have blocked all requests from this device due to unusual activity. Try again later.")
        default: Failure("TOO_MANY_ATTEMPTS_TRY_LATER", "Too many attempts. Try again later.")
        }
    }

    private init(telling error: CustomTokenError) {
        self =
            switch error {
            case .invalid(let reason): Failure("INVALID_CUSTOM_TOKEN", reason)
            case .otherProject: Failure("CREDENTIAL_MISMATCH")
            case .tenant: .unsupportedTenantOperation
            case .missingUID: .missingIdentifier
            case .invalidClaims: Failure("INVALID_CLAIMS")
            case .forbiddenClaim(let name): Failure("FORBIDDEN_CLAIM", name.asString)
            case .claimsTooLarge: Failure("CLAIMS_TOO_LARGE")
            }
    }

    private init(telling error: BrokerageError) {
        self =
            switch error {
            case .declined(let text): .userCancelled(text)
            case .outage: .providerUnavailable
            case .providerFault(let reason, detail: _), .misconfigured(let reason, detail: _), .foreignAnswer(let reason, detail: _):
                .invalidIDPResponse(reason)
            case .notEnabled(let id) where id.isEmpty: .invalidProviderID("providerId is missing.")
            case .notEnabled(let id): .operationNotAllowed("The provider \(id.prefix(bytes: 64)) is not enabled for this project.")
            case .badParameter(let text): .invalidArgument(text)
            case .invalidCredential(let reason): .invalidCredential(reason)
            case .nonce: Failure("MISSING_OR_INVALID_NONCE")
            case .unknownFlow: Failure(telling: AccountError.flowRefused)
            case .account(let error): Failure(telling: error)
            }
    }
}
