import Config
import HTTP
package import Mail

extension ProjectSettings {
    /// The project's own settings for mails, in place of the server's: `mail` of its file, except for the templates.
    package struct Mailing: Sendable {
        package var from: Mailbox?
        package var replyTo: Mailbox?
        /// The page behind the links in mails, without a query; `nil` for this server's own, `/__/auth/action`.
        package var actionURL: String?

        package init() {}
    }
}

extension ProjectSettings.Mailing {
    /// - Parameter section: is not finished, since `templates` is read from it too.
    init(_ section: Section, development: Bool) {
        self.init()
        from = section.mailbox("from")
        replyTo = section.mailbox("replyTo")
        actionURL = section.value(
            "actionURL", expected: "an https URL without query and fragment, the page that handles the links in mails"
        ) {
            guard let uri = URI.parse($0), uri.query == nil, uri.fragment == nil, uri.isSecure(orLoopbackIf: development) else {
                return nil
            }
            return uri.description
        }
    }
}

extension Section {
    package func mailbox(_ key: String) -> Mailbox? {
        value(key, expected: "an address such as \"Example <no-reply@example.com>\"; write domains of other scripts as xn--…") {
            Mailbox($0)
        }
    }
}
