package import Config
import HTTP
import Runtime

extension Webhook {
    /// Reads `url` and `secrets` of a section.
    ///
    /// - Parameter purpose: what the address is for, where it is missing.
    package init?(_ section: Section, purpose: String, development: Bool) {
        section.require("url", purpose)
        let url = section.value("url", expected: "an https URL with the name of a host, without user and fragment") { text in
            URI.parse(text).flatMap { $0.fragment == nil && $0.isSecure(orLoopbackIf: development) ? text : nil }
        }
        let texts = section.requiredSecrets("secrets")
        let secrets = texts.map(WebhookSecret.init)
        // One that could not be read is empty, and has its fault already.
        for (index, text) in texts.enumerated() where secrets[index] == nil && !text.reveal().isEmpty {
            section.fault(texts.count > 1 ? "secrets[\(index)]" : "secrets", "is not \(WebhookSecret.form)")
        }
        guard let url, !secrets.contains(where: { $0 == nil }) else { return nil }
        self.init(url: url, secrets: secrets.compactMap(\.self))
    }
}
