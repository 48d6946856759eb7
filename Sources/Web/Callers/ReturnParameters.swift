package import HTTP
import ProjectSettings
package import Projects
package import Text

/// The address of an app's page and the app's `state`, by which a page of this server sends the browser back later.
package struct ReturnParameters: Sendable {
    private static let longestState = 2048
    /// The answer for an address that the project does not have.
    package static let unknownPage = Failure.unauthorizedDomain(
        "The app's address is not registered for sign-in: redirectUrl must equal one of the project's redirectURLs.")

    /// One of the project's `redirectURLs`, exactly (SEC-10).
    package let redirectURL: UTF8Text
    package let state: UTF8Text?

    /// - Parameter needsState: whether `state` is all that keeps other sites from sending a person to the app's page with a token of their
    ///   own (login CSRF).
    package init(_ query: Form, of project: Project, needsState: Bool) throws(Failure) {
        redirectURL = query["redirectUrl"] ?? ""
        state = query["state"]
        guard project.settings.redirectURLs.contains(where: { [redirectURL] in redirectURL == $0 }) else {
            throw Self.unknownPage
        }
        if needsState, state?.isEmpty ?? true {
            throw .invalidAddress(
                "The parameter state is missing. The app makes it at random, and compares it with the state that comes back.")
        }
        if let state, state.utf8.count > Self.longestState || !state.utf8.allSatisfy({ $0 >= 0x20 }) {
            throw .invalidAddress("state is longer than \(Self.longestState) bytes, or has control characters.")
        }
    }
}
