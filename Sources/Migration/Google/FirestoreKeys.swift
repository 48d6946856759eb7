package import Curl
import HTTP
import JSON
package import ProjectSettings
package import Runtime
import Text

/// Asks Google whether the two keys of a project's `firestore` work.
package struct FirestoreKeys: Sendable {
    private let settings: FirestoreAccess
    private let upstream: any Upstream
    private let access = GoogleAccess()
    private let clock: Clock

    package init(_ settings: FirestoreAccess, upstream: any Upstream, clock: Clock) {
        self.settings = settings
        self.upstream = upstream
        self.clock = clock
    }

    /// Throws unless Google knows the key that signs: it gives an access token to every service account, also to one that has no role.
    package func trySigner() async throws(GoogleFailure) { _ = try await access.token(of: settings.signer, upstream, at: clock.now()) }

    /// Throws unless the administrator may look for accounts of the Firebase project.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/lookup>
    package func tryAdministrator() async throws(GoogleFailure) {
        let calls = GoogleCalls(
            projectID: settings.projectID, account: settings.administrator, upstream: upstream, access: access, clock: clock)
        _ = try await calls.success(
            .post, "/v1/projects/\(settings.projectID)/accounts:lookup", "look-up of accounts", ["localId": ["gatehouse-check"]],
            timeout: .seconds(5))
    }
}
