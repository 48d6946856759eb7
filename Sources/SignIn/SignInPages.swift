import HTTP
import JSON
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
    /// - Parameter link: what opens the app; a script tries it at once, and the page has a button for browsers that want a tap.
    func appPage(_ page: AppPage, link: String? = nil, language: String? = nil, _ request: Request) -> Response {
        templates.page(
            "app", in: templates.language(for: request, parameter: language),
            [
                "isDone": .flag(page == .done), "isRefused": .flag(page == .refused), "isMissing": .flag(page == .missing),
                "link": .text(link),
            ],
            allowing: link == nil ? [] : .scripts, script: link == nil ? nil : PageScript.handlerPage.link,
            data: link.map { ["step": "native-finish", "link": .string($0)] })
    }
}
