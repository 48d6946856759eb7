/// The errors of relying parties: of their requests for an authorization (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6), for tokens (RFC 6749
/// §5.2) and with an access token (RFC 6750 §3.1).
extension Failure {
    package static func invalidRequest(_ detail: String) -> Failure { Failure("invalid_request", detail, kind: .oauth) }
    package static let unregisteredRedirectURI = Failure(
        "invalid_request", "The redirect_uri is not registered for this client; it must be the same, byte by byte.", kind: .oauth,
        b2cNumber: 90006)
    package static let unsupportedResponseType = Failure("unsupported_response_type", "The response_type is code.", kind: .oauth)
    package static let requestNotSupported = Failure("request_not_supported", "Request objects are not supported.", kind: .oauth)
    package static let requestURINotSupported = Failure(
        "request_uri_not_supported", "Only the request_uri of a pushed request is supported.", kind: .oauth)
    package static let invalidScope = Failure("invalid_scope", "The scope has no value that this client may ask for.", kind: .oauth)

    package static let accessDenied = Failure(
        "access_denied", "The person cancelled the sign-in, or refused.", kind: .oauth, b2cNumber: 90091)
    package static let loginRequired = Failure("login_required", "The person must sign in.", kind: .oauth, b2cNumber: 90077)
    package static let otherAccount = Failure(
        "login_required", "The person is signed in with another account than the one asked for.", kind: .oauth)
    package static let consentRequired = Failure("consent_required", "The person must agree to the scopes.", kind: .oauth)
    package static let accountSelectionRequired = Failure(
        "account_selection_required", "The person must choose an account.", kind: .oauth)
    package static let interactionRequired = Failure("interaction_required", "The person must complete a page.", kind: .oauth)
    /// <https://openid.net/specs/openid-connect-unmet-authentication-requirements-1_0.html>
    package static let unmetAuthenticationRequirements = Failure(
        "unmet_authentication_requirements", "The person did not pass a second factor, or the acr asked for is unknown.", kind: .oauth)
    package static let serverError = Failure("server_error", "The server could not answer the request.", kind: .oauth)
    package static let temporarilyUnavailable = Failure(
        "temporarily_unavailable", "The server cannot answer at the moment.", kind: .oauth)
    package static let tooManyRequests = Failure(
        "temporarily_unavailable", "There were too many requests from this address, or of this project. Try again later.", kind: .oauth)
}

/// Of the endpoints that relying parties call themselves.
extension Failure {
    /// The client is unknown, or did not prove who it is; the text is the same for both.
    ///
    /// - Parameter isChallenged: whether the client used `Authorization`. Otherwise a challenge would make browsers ask a person for a password.
    package static func invalidClient(isChallenged: Bool) -> Failure {
        Failure(
            "invalid_client", "The client is unknown, or its authentication failed.",
            kind: .oauthError(status: 401, isChallenged ? .basic : nil), b2cNumber: 90081)
    }
    package static let invalidGrant = Failure(
        "invalid_grant", "The grant is unknown, used, expired, or was given for another request.", kind: .oauth, b2cNumber: 90080)
    package static let grantOfOtherFlow = Failure(
        "invalid_grant", "The grant was not given by this user flow.", kind: .oauth, b2cNumber: 90088)
    package static let scopeTooWide = Failure("invalid_scope", "The scope is wider than the one that was granted.", kind: .oauth)
    package static let unsupportedGrantType = Failure(
        "unsupported_grant_type", "The grant_type is authorization_code or refresh_token.", kind: .oauth, b2cNumber: 90086)

    package static let missingAccessToken = Failure(
        "invalid_request", "The request has no access token.", kind: .oauthError(status: 401, .bearer))
    package static let severalAccessTokens = Failure(
        "invalid_request", "The request has several access tokens.", kind: .oauthError(status: 400, .bearerWithError))
    package static let invalidAccessToken = Failure(
        "invalid_token", "The access token is unknown, expired or revoked.", kind: .oauthError(status: 401, .bearerWithError))
    package static let insufficientScope = Failure(
        "insufficient_scope", "The access token does not have the scope openid.", kind: .oauthError(status: 403, .bearerWithError))
}
