import Accounts
import Brokerage
import Providers
import Text

/// The errors of a sign-in at a provider.
extension Failure {
    package static let missingRequestURI = Failure("MISSING_REQUEST_URI")
    package static let invalidRequestURI = Failure("INVALID_REQUEST_URI")
    /// SDKs have no code for this. They turn this one into their code for a failing network, and show this text.
    package static let providerUnavailable = Failure(
        "NETWORK_REQUEST_FAILED", "The sign-in provider does not answer at the moment. Please try again later.",
        signInCodes: SignInCodes(sdk: "auth/network-request-failed", oauth: "temporarily_unavailable"))
    package static let noPhoto = Failure("No photo", kind: .notFound)

    package static let missingProviderID = Failure("MISSING_PROVIDER_ID")
    package static let missingRawID = Failure("MISSING_RAW_ID")
    package static func invalidProviderID(_ detail: String? = nil) -> Failure {
        Failure("INVALID_PROVIDER_ID", detail, signInCodes: SignInCodes(sdk: "auth/invalid-oauth-provider"))
    }
    package static func invalidIDPResponse(_ detail: String) -> Failure {
        Failure("INVALID_IDP_RESPONSE", detail, signInCodes: SignInCodes(oauth: "server_error"))
    }
    package static func userCancelled(_ detail: String) -> Failure {
        Failure("USER_CANCELLED", detail, signInCodes: SignInCodes(sdk: "auth/user-cancelled", oauth: "access_denied"))
    }
    package static func invalidCredential(_ detail: String) -> Failure {
        Failure("INVALID_CREDENTIAL_OR_PROVIDER_ID", "Invalid IdP response/credential: \(detail)")
    }
    package static let invalidNonce = Failure("MISSING_OR_INVALID_NONCE")

    init(describing error: BrokerageError) {
        self =
            switch error {
            case .declined(let text): .userCancelled(text)
            case .outage: .providerUnavailable
            case .providerFault(let reason, detail: _), .misconfigured(let reason, detail: _), .foreignAnswer(let reason, detail: _):
                .invalidIDPResponse(reason)
            case .notEnabled(let id, _) where id.isEmpty: .invalidProviderID("providerId is missing.")
            case .notEnabled(let id, let hasEntry):
                .operationNotAllowed("The provider \(id.prefix(bytes: 64)) \(Self.reasonWhyNotEnabled(id, hasEntry: hasEntry)).")
            case .badParameter(let text): .invalidArgument(text)
            case .invalidCredential(let reason): .invalidCredential(reason)
            case .nonce: .invalidNonce
            case .unknownFlow: Failure(describing: AccountError.flowRefused)
            case .account(let error): Failure(describing: error)
            case .at(_, _, let error): Failure(describing: error)
            }
    }

    private static func reasonWhyNotEnabled(_ id: UTF8Text, hasEntry: Bool) -> String {
        RefusedProvider.named(id)?.reason
            ?? "is not enabled for this project: \(hasEntry ? "its entry says enabled: false" : "it has no entry in the project's file")"
    }
}
