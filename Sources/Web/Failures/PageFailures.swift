/// The errors of an address that a browser was sent to. A page shows them to the person and to the developers of the app.
extension Failure {
    package static let linkWithoutAPIKey = Failure("INVALID_API_KEY", "The link that brought you here has no valid API key.")
    package static let frameWithoutAPIKey = Failure("INVALID_API_KEY", "The address of this frame has no valid API key.")
    package static let notFromOwnFrame = Failure(
        "PERMISSION_DENIED", "This path answers only the frame at /__/auth/iframe of this server.", kind: .forbidden)

    package static let unregisteredLogoutURI = Failure(
        "INVALID_LOGOUT_URI", "The post_logout_redirect_uri is not registered for this client; it must be the same, byte by byte.")

    package static func invalidAddress(_ detail: String) -> Failure { Failure("INVALID_ARGUMENT", detail) }
    package static func unsupportedTenantOperation(_ detail: String) -> Failure { Failure("UNSUPPORTED_TENANT_OPERATION", detail) }
}

extension Failure {
    /// The JS SDK's code for a sign-in that ended with this. The SDK knows few; with any other it would tell the app of an internal error.
    package var sdkCode: String {
        switch kind {
        case .unavailable: "auth/network-request-failed"
        case .internal: "auth/internal-error"
        case .badRequest: "auth/argument-error"
        default: signInCodes.sdk
        }
    }

    /// The nearest code of RFC 6749 §4.1.2.1, for an app's page that takes results in its address.
    package var oauthError: String {
        switch kind {
        case .unavailable, .internal: "temporarily_unavailable"
        case .business: signInCodes.oauth
        case .oauthError: code
        default: "invalid_request"
        }
    }
}
