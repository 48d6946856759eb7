import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// Settings that test suites change in a running project. A change holds in this process until it ends or reads its project files again.
struct EmulatorConfig: Codable, Sendable {
    var signIn: SignIn?
    var emailPrivacyConfig: EmailPrivacy?
    /// These two only by the call of administrators (`UpdateConfig`): the emulator's own call neither shows nor sets them.
    var mfa: MFAConfig?
    var blockingFunctions: BlockingFunctions?

    struct SignIn: Codable, Sendable { var allowDuplicateEmails: Bool? }
    struct EmailPrivacy: Codable, Sendable { var enableImprovedEmailPrivacy: Bool? }

    init(of project: ProjectSettings) {
        signIn = SignIn(allowDuplicateEmails: !project.signIn.oneAccountPerEmail)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: project.emailEnumerationProtection)
    }

    /// Sets those that are present, and leaves the others as they are.
    func set(in project: inout ProjectSettings) {
        if let allowed = signIn?.allowDuplicateEmails { project.signIn.oneAccountPerEmail = !allowed }
        if let enabled = emailPrivacyConfig?.enableImprovedEmailPrivacy { project.emailEnumerationProtection = enabled }
        mfa?.set(in: &project.multiFactor)
        if let hooks = try? blockingFunctions?.hooks(over: project.hooks) { project.hooks = hooks }
    }
}

/// `GET /emulator/v1/projects/{project}/config`: the current settings.
struct GetEmulatorConfig: Endpoint {
    static let route = Route(.get, "/emulator/v1/projects/{project}/config", access: .development)

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, _ context: Context) async throws -> EmulatorConfig {
        EmulatorConfig(of: try context.emulatedProject().settings)
    }
}

/// `PATCH /emulator/v1/projects/{project}/config`: sets what the body names, and answers with all of them.
struct SetEmulatorConfig: Endpoint {
    static let route = Route(.patch, "/emulator/v1/projects/{project}/config", access: .development)

    func callAsFunction(_ input: EmulatorConfig, _ context: Context) async throws -> EmulatorConfig {
        let id = try context.emulatedProject().settings.id
        var shown = input
        (shown.mfa, shown.blockingFunctions) = (nil, nil)
        guard let project = context.services.projects.change(id, shown.set) else { throw Failure.notFound }
        return EmulatorConfig(of: project.settings)
    }
}
