import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `PATCH` of the project's own settings. In development mode, test suites set with it what the emulator's own call sets
/// (`SetEmulatorConfig`), second factors and hooks. Everywhere else, and for every other setting, it is refused with the name of the file to change
/// instead.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects/updateConfig>
struct UpdateConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/config", right: .manageUsers)

    func callAsFunction(_ whole: EmulatorConfig, by administrator: Administrator, _ context: Context) async throws -> ProjectConfig {
        let project = try context.project
        let mask = try UpdateMask(context.request)
        let body = mask.limiting(try JSONBody.object(of: context.request))
        func refusal() -> Failure { .configuredByFile(project.fileName, lines: ProjectFileLines(ofProject: .object(body)).text) }
        guard context.isOfDevelopment, EmulatorConfig.covers(body, mask) else { throw refusal() }
        try BlockingFunctions.checkNames(in: body)
        let given = try JSONBody.decode(EmulatorConfig.self, from: body).clearing(mask)
        _ = try given.blockingFunctions?.hooks(over: project.settings.hooks)
        guard let changed = context.services.projects.change(project.settings.id, given.set) else { throw refusal() }
        return ProjectConfig(of: changed)
    }
}

extension EmulatorConfig {
    /// With nothing for the settings that `mask` names and the body does not have.
    fileprivate func clearing(_ mask: UpdateMask) -> EmulatorConfig {
        var config = self
        if mask.names("signIn.allowDuplicateEmails") {
            config.signIn = SignIn(allowDuplicateEmails: signIn?.allowDuplicateEmails ?? false)
        }
        if mask.names("emailPrivacyConfig.enableImprovedEmailPrivacy") {
            config.emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: emailPrivacyConfig?.enableImprovedEmailPrivacy ?? false)
        }
        config.mfa = MFAConfig.clearing(mfa, mask, "mfa")
        if mask.names("blockingFunctions.triggers") {
            var functions = blockingFunctions ?? BlockingFunctions()
            functions.triggers = functions.triggers ?? BlockingFunctions.Triggers()
            config.blockingFunctions = functions
        }
        return config
    }

    /// Whether a body has no other settings than these, and `updateMask` names no other ones.
    fileprivate static func covers(_ body: JSON.Object, _ mask: UpdateMask) -> Bool {
        let members = body.flatMap { member in
            member.value.object?.map { "\(camelCase(member.name)).\(camelCase($0.name))" as UTF8Text } ?? [camelCase(member.name)]
        }
        return (mask.paths + members).allSatisfy(names.contains)
    }

    private static let names: Set<UTF8Text> = [
        "signIn", "signIn.allowDuplicateEmails", "emailPrivacyConfig", "emailPrivacyConfig.enableImprovedEmailPrivacy", "mfa", "mfa.state",
        "mfa.enabledProviders", "mfa.providerConfigs", "blockingFunctions", "blockingFunctions.triggers",
        "blockingFunctions.forwardInboundCredentials",
    ]
}
