import Config

extension ProjectSettings {
    package enum Refresh: String, Sendable, CaseIterable {
        /// Each refresh returns a new refresh token; a used one that comes back ends the session.
        case rotating
        /// The refresh token stays the same as long as the session lasts.
        case `static`
    }

    /// Reads `sessions` of a project's file.
    mutating func readSessions(_ section: Section) {
        refresh = section.choice("refresh", default: refresh)
        // Not shorter than an ID token can live: apps refresh when theirs expires.
        let idle = section.value("idle", expected: "0 (sessions last until they are ended), or 1d to 3650d") { text in
            text == "0" ? .zero : Duration(text: text).flatMap { (.seconds(86400)...(.seconds(3650 * 86400))).contains($0) ? $0 : nil }
        }
        sessionIdle = idle == .zero ? nil : idle
        section.finish()
    }
}
