/// The addresses of Google's services that this server calls for a project whose people come from Firebase.
///
/// They are constants. No setting, key file or token changes them, since a person who chose them could sign in as any other (SEC-52).
enum GoogleAddress {
    /// The keys of ID tokens. <https://firebase.google.com/docs/auth/admin/verify-id-tokens>
    static let idTokenKeys = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    /// The same keys in certificates.
    static let idTokenCertificates = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    /// Takes refresh tokens. <https://cloud.google.com/identity-platform/docs/use-rest-api#section-refresh-token>
    static let secureToken = "https://securetoken.googleapis.com/v1/token"
    /// Gives access tokens to service accounts. <https://developers.google.com/identity/protocols/oauth2/service-account#httprest>
    static let accessTokens = "https://oauth2.googleapis.com/token"
    /// The calls about accounts. <https://cloud.google.com/identity-platform/docs/reference/rest>
    static let identityToolkit = "https://identitytoolkit.googleapis.com"
}
