import Accounts
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

extension Project {
    /// A page of the handler, whose script does what `data` says.
    ///
    /// - Parameter language: the language that the app asked for at the start.
    func handlerPage(_ data: JSON, language: String?, _ request: Request) -> Response {
        templates.page(
            "handler", in: templates.language(for: request, parameter: language), allowing: .scripts, script: PageScript.handlerPage.link,
            data: data)
    }

    enum AppPage: Sendable {
        /// The provider has identified the person.
        case done
        case refused
        /// The app is not on the device.
        case missing
    }

    /// A page from which the person returns to their app.
    ///
    /// - Parameters:
    ///   - app: the app's name; the project's when it has none.
    ///   - link: the address with which the page's button opens the app.
    ///   - opensItself: whether a script tries the link at once; browsers may still require a tap.
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
