import Config

extension ProjectSettings {
    /// How sessions are refreshed, and how long they last: `sessions` of a project's file.
    package struct Sessions: Sendable {
        package var refresh = Refresh.rotating
        /// How long a session lasts that is not refreshed; `nil` means for ever, as with Firebase.
        package var idle: Duration?

        package init() {}
    }

    package enum Refresh: String, Sendable, CaseIterable {
        /// Each refresh returns a new refresh token; a used one that comes back ends the session.
        case rotating
        /// The refresh token stays the same as long as the session lasts.
        case `static`
    }
}

extension ProjectSettings.Sessions {
    init(_ section: Section) {
        self.init()
        refresh = section.choice("refresh", default: refresh)
        // Not shorter than an ID token can live: apps refresh when theirs expires.
        let time = section.value("idle", expected: "0 (sessions last until they are ended), or 1d to 3650d") { text in
            text == "0" ? .zero : Duration(text: text).flatMap { (.seconds(86400)...(.seconds(3650 * 86400))).contains($0) ? $0 : nil }
        }
        idle = time == .zero ? nil : time
        section.finish()
    }
}
