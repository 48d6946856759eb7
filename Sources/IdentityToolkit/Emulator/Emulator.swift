package import Web

/// What test suites of apps ask of Firebase's Auth emulator besides the API itself: a clean slate, the mails that were sent, two switches.
///
/// Development mode alone mounts it; each route is `access: .development`, so that only this machine reaches it (`Web/Callers/Access`, SEC-22). No
/// key is asked for, as the emulator asks for none. What the calls of the API do in development mode they do as in production: there
/// is no emulation here.
/// <https://firebase.google.com/docs/reference/rest/auth#section-auth-emulator>
package enum Emulator {
    /// Every call. A new one is a file beside this and a line here.
    package static let handlers: [Handler] = [
        DeleteAllAccounts.handler,
        FollowLink.handler,
        GetSwitches.handler,
        ListActionCodes.handler,
        SetSwitches.handler,
        Status.handler,
    ]
}

extension Context {
    /// The project that the path names. Throws `Not Found` for one that is not configured.
    func configuredProject() throws(Failure) -> Project {
        guard let project = namedProject else { throw .notFound }
        return project
    }
}
