package import JOSE
package import ProjectSettings

/// Verifies the ID tokens that Google signed for the people of a Firebase project, while they move here.
///
/// Google's keys come from Google, which these rules do not ask: the target that does has the implementation (`Migration/Google/`), and a
/// loop is made with it.
package protocol FormerTokens: Sendable {
    /// Verifies the signature and all claims of a token but its end, which is checked after the account.
    ///
    /// Throws `invalidIDToken`, or `formerIssuerUnavailable` when Google's keys cannot be had.
    func idToken(_ token: UnverifiedJWT, of migration: FirebaseMigration) async throws(AccountError) -> IDToken
}
