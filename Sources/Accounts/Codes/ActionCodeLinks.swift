import HTTP
package import ProjectSettings
import Text

extension ActionCode {
    /// The path of the page behind the links, unless the project has its own (`mail.actionURL`).
    package static let pagePath = "/__/auth/action"
}

extension ActionCodeMails {
    /// A link as SDKs read it. Its host is the configured one, whatever a request says (SEC-07).
    package func link(_ kind: ActionCode.Kind, code: String, _ options: MailOptions, in project: ProjectSettings) -> String {
        let query = Form(
            [
                (name: "mode", value: kind.rawValue), (name: "oobCode", value: code), (name: "apiKey", value: project.apiKeys.first ?? ""),
                (name: "lang", value: options.language),
            ] + (project.tenant.map { [(name: "tenantId", value: $0.id)] } ?? [])
                + (options.continueURL.map { [(name: "continueUrl", value: $0)] } ?? []))
        return "\(project.mail.actionURL ?? publicURL + ActionCode.pagePath)?\(query.encoded())"
    }
}
