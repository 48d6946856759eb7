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

    func callAsFunction(_ input: EmulatorConfig, by administrator: Administrator, _ context: Context) async throws -> ProjectConfig {
        let project = try context.project
        let mask = try UpdateMask.names(context.request)
        let body = try JSONBody.object(of: context.request)
        func refusal() -> Failure { .configuredByFile(project.fileName, lines: ProjectFileLines(ofProject: .object(body)).text) }
        guard context.isOfDevelopment, EmulatorConfig.covers(body, mask) else { throw refusal() }
        try BlockingFunctions.checkNames(in: body)
        _ = try input.blockingFunctions?.hooks()
        guard let changed = context.services.projects.change(project.settings.id, input.limited(to: mask).set) else { throw refusal() }
        return ProjectConfig(of: changed)
    }
}

/// `updateMask` of a call that changes a resource: the fields that it sets.
enum UpdateMask {
    static func names(_ request: Request) throws(Failure) -> [UTF8Text] {
        try Form.reading(request.query).all("updateMask").flatMap { $0.split { $0 == UInt8(ascii: ",") } }
    }
}

extension EmulatorConfig {
    /// The settings that `updateMask` names; all of them where it names none.
    fileprivate func limited(to mask: [UTF8Text]) -> EmulatorConfig {
        func isNamed(_ name: UTF8Text) -> Bool { mask.isEmpty || mask.contains { $0 == name || $0.hasPrefix("\(name).") } }
        var limited = self
        if !isNamed("signIn") { limited.signIn = nil }
        if !isNamed("emailPrivacyConfig") { limited.emailPrivacyConfig = nil }
        if !isNamed("mfa") { limited.mfa = nil }
        if !isNamed("blockingFunctions") { limited.blockingFunctions = nil }
        return limited
    }

    /// Whether a body has no other settings than these, and `updateMask` names no other ones.
    fileprivate static func covers(_ body: JSON.Object, _ mask: [UTF8Text]) -> Bool {
        let members = body.flatMap { member in
            member.value.object?.map { "\(member.name).\($0.name)" as UTF8Text } ?? [member.name]
        }
        return (mask + members).allSatisfy(names.contains)
    }

    private static let names: Set<UTF8Text> = [
        "signIn", "signIn.allowDuplicateEmails", "emailPrivacyConfig", "emailPrivacyConfig.enableImprovedEmailPrivacy", "mfa", "mfa.state",
        "mfa.enabledProviders", "mfa.providerConfigs", "blockingFunctions", "blockingFunctions.triggers",
        "blockingFunctions.forwardInboundCredentials",
    ]
}
