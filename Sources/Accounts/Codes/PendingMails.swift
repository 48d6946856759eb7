import HTTP
import Postgres
package import ProjectSettings
import Runtime
import Text

/// A mail with its code, which can still be used.
package struct PendingMail: Sendable {
    package let mail: OutgoingMail
    package let code: String
    /// The account's address when the code was made, even if the mail goes to another one; `nil` for an account without an address.
    package let email: String?
    /// The query of its link, as mailed.
    package let query: String
}

extension ActionCodes {
    /// The mails of `mails` whose codes are neither used nor expired, in their order; for development mode.
    package func pending(_ mails: [OutgoingMail], in project: ProjectSettings) async throws(AccountError) -> [PendingMail] {
        let rows = try await storage.read(
            "SELECT code_hash, email FROM action_codes WHERE project_id = \(project: project) AND expires_at > \(clock.now())")
        var emails: [[UInt8]: String?] = [:]
        for row in rows {
            var row = row.reader()
            let (hash, email): ([UInt8], String?) = try reading { (try row.next(), try row.next()) }
            emails[hash] = .some(email)
        }
        return mails.compactMap { mail in
            guard let query = URI.parse(mail.link)?.query, let code = Form(query)?["oobCode"], let hash = ActionCode.hash(code.asString),
                let email = emails[hash]
            else { return nil }
            return PendingMail(mail: mail, code: code.asString, email: email, query: query)
        }
    }
}
