import HTTP
import Projects
import Text
package import Web

/// The calls that test suites of apps make to Firebase's Auth emulator besides the API itself: wait until it runs, remove all accounts,
/// list the codes in mails, follow their links, and read and set two settings.
///
/// Only development mode has them. Each route is `access: .development`, so that only this machine reaches it (`Web/Callers/Access`,
/// SEC-22). They need no API key, as in the emulator. The calls of the API work in development mode as in production; nothing of them is
/// emulated.
/// <https://firebase.google.com/docs/reference/rest/auth#section-auth-emulator>
package enum Emulator {
    /// Every call. To add a call, add a file in this folder and a line here.
    package static let handlers: [Handler] = [
        DeleteAllAccounts.handler,
        EmulatorForm.handler,
        EmulatorPage.handler,
        FollowLink.handler,
        GetEmulatorConfig.handler,
        ListActionCodes.handler,
        ListVerificationCodes.handler,
        OpenAPI.handler,
        SetEmulatorConfig.handler,
        Status.handler,
    ]
}

extension Context {
    /// A path below a project, with that of its tenants.
    static func emulated(_ method: HTTP.Method, _ name: String) -> Route {
        let project = "/emulator/v1/projects/{project}"
        return Route(method, "\(project)/\(name)", aliases: ["\(project)/tenants/{tenant}/\(name)"], access: .development)
    }

    /// The project or tenant that the path names.
    func emulatedRealm() async throws -> Project { try await with(emulatedProject()).inRealm().project }

    /// The project that the path names: one that a file has, or else one that is made on the fly.
    func emulatedProject() throws(Failure) -> Project {
        guard let name = parameters["project"] else { throw .notFound }
        return try emulatedProject(named: name)
    }
}
