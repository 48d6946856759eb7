import Curl

/// Examines the way of mails.
struct MailChecks {
    let settings: ServerSettings
    let client: HTTPClient

    /// `nil` without mail.
    func findings() async -> [Finding]? {
        switch settings.mail?.way {
        case nil: return nil
        case .smtp(let server)?:
            do {
                try await client.greet(server)
                return []
            } catch {
                return [
                    .fault("mail.refused", "\(server.host):\(server.port): \(error.reason)", "look at mail.smtp, and at the mail server")
                ]
            }
        case .file?, .log?:
            guard !settings.development else { return [] }
            return [.warning("mail.kept", "Mails go to a file or the log, and to no person", "write mail: {smtp: …}")]
        }
    }
}
