import Accounts
import HTTP
import JSON
import Text
import Web

extension Project {
    /// A page of the handler, on which a script does what `data` says.
    ///
    /// - Parameter language: what the app asked for at the start.
    func handlerPage(_ data: JSON, language: String?, _ request: Request) -> Response {
        templates.page(
            "handler", in: templates.language(for: request, parameter: language), allowing: .scripts, script: PageScript.handlerPage.link,
            data: data)
    }

    enum AppPage: Sendable {
        /// The provider said who it is.
        case done
        case refused
        /// The app is not on the device.
        case missing
    }

    /// A page from which the person goes on to their app.
    ///
    /// - Parameters:
    ///   - app: its name; the project's where it has none.
    ///   - link: what the page's button opens the app with.
    ///   - opensItself: whether a script tries the link at once; browsers may want a tap all the same.
    func appPage(
        _ page: AppPage, app: String? = nil, link: String? = nil, opensItself: Bool = false, language: String? = nil, _ request: Request
    ) -> Response {
        let opened = opensItself ? link : nil
        return templates.page(
            "app", in: templates.language(for: request, parameter: language),
            [
                "isDone": .flag(page == .done), "isRefused": .flag(page == .refused), "isMissing": .flag(page == .missing),
                "link": .text(link), "app": .text(app ?? templates.branding.name),
            ],
            allowing: opened == nil ? [] : .scripts, script: opened == nil ? nil : PageScript.handlerPage.link,
            data: opened.map { ["step": "native-finish", "link": .string($0)] })
    }
}
