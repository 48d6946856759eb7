import HTTP
import Text

/// What a letter's link says besides its code.
package struct LetterWish: Sendable {
    /// A tag of the languages that the project's templates speak, such as `de`.
    package let language: String
    /// Where the page at the link's end leads on to: absolute, and of an authorised host.
    package let continueURL: String?

    package init(language: String, continueURL: String? = nil) {
        self.language = language
        self.continueURL = continueURL
    }
}

extension ActionCode {
    /// The path of the page that links lead to, unless the project has one of its own (`mail.actionURL`).
    package static let pagePath = "/__/auth/action"
}

extension ActionCodeMails {
    /// A link as SDKs read it. Its host is the configured one whatever a request says (SEC-07).
    package func link(_ kind: ActionCode.Kind, code: String, _ wish: LetterWish, in project: ProjectSettings) -> String {
        let query = Form(
            [
                (name: "mode", value: kind.rawValue), (name: "oobCode", value: code), (name: "apiKey", value: project.apiKeys.first ?? ""),
                (name: "lang", value: wish.language),
            ] + (wish.continueURL.map { [(name: "continueUrl", value: $0)] } ?? []))
        return "\(project.mail.actionURL ?? publicURL + ActionCode.pagePath)?\(query.encoded())"
    }
}
