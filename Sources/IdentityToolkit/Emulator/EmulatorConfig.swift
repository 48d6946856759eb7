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
    /// Only by the call of administrators: the emulator's own call does not show it.
    var mfa: MFA?
    /// Likewise.
    var blockingFunctions: BlockingFunctions?

    struct SignIn: Codable, Sendable { var allowDuplicateEmails: Bool? }
    struct EmailPrivacy: Codable, Sendable { var enableImprovedEmailPrivacy: Bool? }
    struct MFA: Codable, Sendable {
        enum State: String, WireEnum, Encodable {
            static let unspecified = "STATE_UNSPECIFIED"

            case withoutFactors = "DISABLED"
            case withFactors = "ENABLED"
            case onlyWithFactors = "MANDATORY"
        }
        enum Provider: String, WireEnum, Encodable {
            static let unspecified = "PROVIDER_UNSPECIFIED"

            case sms = "PHONE_SMS"
        }

        var state: State?
        var enabledProviders: [Provider]?
        var providerConfigs: [Factor]?
    }
    /// The settings of authenticator apps.
    struct Factor: Codable, Sendable {
        var state: MFA.State?
        var totpProviderConfig: TOTP?
    }
    struct TOTP: Codable, Sendable { var adjacentIntervals: Int? }

    init(of project: ProjectSettings) {
        signIn = SignIn(allowDuplicateEmails: !project.signIn.oneAccountPerEmail)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: project.emailEnumerationProtection)
    }

    /// Sets those that are present, and leaves the others as they are.
    func set(in project: inout ProjectSettings) {
        if let allowed = signIn?.allowDuplicateEmails { project.signIn.oneAccountPerEmail = !allowed }
        if let enabled = emailPrivacyConfig?.enableImprovedEmailPrivacy { project.emailEnumerationProtection = enabled }
        mfa?.set(in: &project.multiFactor)
        if let hooks = try? blockingFunctions?.hooks() { project.hooks = hooks }
    }
}

extension EmulatorConfig.MFA {
    /// Sets what is present. A list replaces what was there, as at Identity Platform.
    func set(in factors: inout ProjectSettings.MultiFactor) {
        switch state {
        case .withoutFactors: factors.state = .disabled
        case .withFactors: factors.state = .enabled
        case .onlyWithFactors: factors.state = .mandatory
        case nil: break
        }
        if let enabledProviders { factors.sms = enabledProviders.contains(.sms) }
        guard let apps = providerConfigs else { return }
        factors.authenticatorApps = apps.contains { $0.totpProviderConfig != nil && $0.state != .withoutFactors }
        if let intervals = apps.compactMap(\.totpProviderConfig?.adjacentIntervals).last {
            factors.adjacentIntervals = min(max(intervals, 0), ProjectSettings.MultiFactor.mostAdjacentIntervals)
        }
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
        _ = try input.blockingFunctions?.hooks()
        guard let project = context.services.projects.change(id, input.set) else { throw Failure.notFound }
        return EmulatorConfig(of: project.settings)
    }
}
