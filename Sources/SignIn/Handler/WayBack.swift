import Accounts
import HTTP
import Text
import Web

/// Where a person goes on whose sign-in ended on one of our pages: to the app's own page, with nothing of the sign-in in the address.
///
/// Only to a page that is known and may be gone to: of the flow, or of the start, and still authorized. A sign-in window has none: it is to
/// be closed.
enum WayBack {
    static func of(_ flow: SignInFlow, _ project: Project) -> String? {
        switch flow.kind {
        case .redirect: flow.returnURL.flatMap { authorized(UTF8Text($0), project) }
        case .web: flow.returnURL.flatMap { url in project.settings.redirectURLs.first { $0.utf8.elementsEqual(url.utf8) } }
        case .popup, .client, .ios, .android: nil
        }
    }

    /// Of a start that an SDK asked for, as far as it can be read.
    static func ofStart(_ query: Form, _ project: Project) -> String? {
        guard let type = query["authType"].flatMap(Handoff.AuthType.init), !type.isPopup, type != .signInWithRedirect else { return nil }
        let pages = query.all("redirectUrl")
        return pages.count == 1 ? pages.first.flatMap { authorized($0, project) } : nil
    }

    private static func authorized(_ url: UTF8Text, _ project: Project) -> String? {
        PageAddress(url.asString).flatMap { project.authorizes(host: $0.host) ? $0.url : nil }
    }
}
