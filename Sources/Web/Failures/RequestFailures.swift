/// The errors of any call, found before its own rules are asked.
extension Failure {
    package static let missingAPIKey = Failure("The request is missing a valid API key.", kind: .forbidden)
    package static let invalidAPIKey = Failure("API key not valid. Please pass a valid API key.", kind: .invalidAPIKey)
    package static let unknownBearer = Failure("Invalid Credentials", kind: .unauthenticated)
    package static let bearerRequired = Failure("Login Required.", kind: .unauthenticated)
    /// - Parameter account: the service account that bears the token.
    static func otherProject(_ account: String) -> Failure {
        Failure("PERMISSION_DENIED", "The service account \(account) belongs to another project.", kind: .forbidden)
    }
    package static let unauthenticatedTarget = Failure(
        "INSUFFICIENT_PERMISSION", "Only authenticated requests can specify target_project_id.")
    package static let insufficientPermission = Failure("INSUFFICIENT_PERMISSION")
    package static let unsupportedTenantOperation = Failure("UNSUPPORTED_TENANT_OPERATION")
    package static let tenantIDMismatch = Failure(
        "TENANT_ID_MISMATCH", "The call names two tenants, or a tenant and a token of the project itself.")
    package static let tenantNotFound = Failure("TENANT_NOT_FOUND")
    package static let invalidDisplayName = Failure(
        "INVALID_DISPLAY_NAME", "The name of a tenant has 1 to 128 bytes without control and direction characters.")
    package static let invalidTestingPhoneNumber = Failure(
        "INVALID_TESTING_PHONE_NUMBER", "A tenant has at most 10 test numbers, such as +16505550101, each with a code of six digits.")
    /// The tenant is switched off.
    package static let projectDisabled = Failure("PROJECT_DISABLED", "The tenant is switched off.")
    package static let notOfThisMachine = Failure("This path answers only programs of the server's own machine.", kind: .forbidden)
    package static let foreignOrigin = Failure(
        "This path answers only pages of this machine and of the projects' authorizedDomains.", kind: .forbidden)
    package static let notAProject = Failure(
        "INVALID_PROJECT_ID",
        "In development mode a project has 4 to 30 lower-case letters, digits and hyphens, the first a letter; at most 1000 besides those "
            + "of the project files.")
    package static let notFound = Failure("Not Found", kind: .notFound)
    package static let methodNotAllowed = Failure("Method Not Allowed", kind: .methodNotAllowed)
    static let bodyTooLarge = Failure("Request payload size exceeds the limit", kind: .bodyTooLarge)
    static let encodedBody = Failure("This server reads no body with a Content-Encoding; send it without.", kind: .encodedBody)
    package static let `internal` = Failure("INTERNAL", kind: .internal)
    package static let unavailable = Failure("UNAVAILABLE", kind: .unavailable)

    package static func invalidJSON(_ detail: String) -> Failure {
        Failure("Invalid JSON payload received. \(detail)", kind: .badRequest)
    }
    package static func invalidArgument(_ detail: String) -> Failure { Failure(detail, kind: .badRequest) }
    /// - Parameter name: of a field that this call does not take.
    package static func unexpectedParameter(_ name: String) -> Failure { Failure("UNEXPECTED_PARAMETER", name) }
    package static func operationNotAllowed(_ detail: String? = nil) -> Failure {
        Failure("OPERATION_NOT_ALLOWED", detail, signInCodes: SignInCodes(sdk: "auth/operation-not-allowed"))
    }
    package static func unauthorizedDomain(_ detail: String) -> Failure { Failure("UNAUTHORIZED_DOMAIN", detail) }

    package static let missingGrantType = Failure("MISSING_GRANT_TYPE")
    package static let invalidGrantType = Failure("INVALID_GRANT_TYPE")
    package static let missingRefreshToken = Failure("MISSING_REFRESH_TOKEN")
    package static let missingIDToken = Failure("MISSING_ID_TOKEN")
    package static let invalidDuration = Failure("INVALID_DURATION", "validDuration must be 300 to 1209600 seconds.")
    /// An entry of a project's configuration that there is not.
    package static let configurationNotFound = Failure("CONFIGURATION_NOT_FOUND", kind: .notFound)
    package static let configurationExists = Failure("CONFIGURATION_EXISTS", "The project has a provider of this id.")
    package static let missingConfigurationID = Failure("MISSING_CONFIG_ID", "Name the provider's id in the query.")
    package static let invalidConfigurationID = Failure(
        "INVALID_CONFIG_ID", "The id of an issuer is oidc. and a name of lower-case letters, digits and hyphens.")
    package static let missingIssuer = Failure("MISSING_ISSUER")
    package static let missingOAuthClientID = Failure("MISSING_OAUTH_CLIENT_ID")
    package static let invalidOAuthClientID = Failure(
        "INVALID_OAUTH_CLIENT_ID", "A client id has 1 to 256 bytes without control and direction characters.")
    package static let missingOAuthClientSecret = Failure("MISSING_OAUTH_CLIENT_SECRET", "responseType.code needs a clientSecret.")
    /// - Parameter detail: says which part of a provider's configuration is wrong.
    package static func invalidConfiguration(_ detail: String) -> Failure { Failure("INVALID_CONFIG", detail) }
    package static let samlUnsupported = operationNotAllowed("Providers by SAML are not supported; use OpenID Connect.")
    /// - Parameters:
    ///   - file: the name of the project's file; `nil` for a project that is not made of one.
    ///   - lines: say in the file what the call would have set. They hold nothing that was not checked.
    package static func configuredByFile(_ file: String?, lines: String = "", deleting: Bool = false) -> Failure {
        let act = deleting ? "delete" : "change"
        return .operationNotAllowed(
            "The configuration is read from \(file.map { "the file \($0)" } ?? "files"); \(act) it there, and run gatehouse reload."
                + (lines.isEmpty ? "" : " The lines for it: \(lines)"))
    }

    package static let missingClientType = Failure("MISSING_CLIENT_TYPE")
    package static let missingRecaptchaVersion = Failure("MISSING_RECAPTCHA_VERSION")
    package static let invalidRecaptchaVersion = Failure("INVALID_RECAPTCHA_VERSION")
}
