import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// The app's own page, to which a person can return when their sign-in ended on one of our pages. Its address contains nothing of the
/// sign-in.
///
/// It comes from the flow or from the start, and only if it is still authorized. A sign-in window has none: the person closes it.
enum WayBack {
    static func of(_ flow: SignInFlow, _ project: Project) -> String? {
        switch flow.kind {
        case .redirect: flow.returnURL.flatMap { authorized(UTF8Text($0), project) }
        case .web:
            flow.returnURL.flatMap { url in
                // Only this server starts flows that return to its own pages.
                URI.parse(url)?.path == IssuerPaths.signInReturn(project.settings.addressName)
                    ? url : project.settings.redirectURLs.first { $0.utf8.elementsEqual(url.utf8) }
            }
        case .popup, .client, .ios, .android: nil
        }
    }

    /// For a start that an SDK asked for, as far as it can be read.
    static func ofStart(_ query: Form, _ project: Project) -> String? {
        guard let type = query["authType"].flatMap(SDKRequest.AuthType.init), !type.isPopup, type != .signInWithRedirect else { return nil }
        let pages = query.all("redirectUrl")
        return pages.count == 1 ? pages.first.flatMap { authorized($0, project) } : nil
    }

    private static func authorized(_ url: UTF8Text, _ project: Project) -> String? {
        URI.ofPage(url).flatMap { project.authorizes($0) ? $0.description : nil }
    }
}
