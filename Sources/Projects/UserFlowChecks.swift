import Config
import ProjectSettings
import Providers

/// Compares what a project's user flows offer with the ways to sign in that the project has.
enum UserFlowChecks {
    static func check(_ settings: ProjectSettings, _ providers: [ProviderSettings], _ section: Section) {
        guard let provider = settings.openIDProvider else { return }
        let ownWays =
            (settings.signIn.password ? ["password"] : []) + (settings.signIn.emailLink ? ["emailLink"] : [])
            + (settings.passkeys == nil ? [] : ["passkey"])
        let ways = ownWays + providers.filter(\.enabled).map(\.id).sorted()
        let entry = section.section("openIDProvider")
        if ways.isEmpty {
            entry.note("", "has no way to sign in that its pages could offer; switch on signIn.password, or write an entry of providers")
        }
        for (flow, entry) in zip(provider.userFlows, entry.list("userFlows")) {
            for name in flow.providers ?? [] where !ways.contains(name) {
                entry.fault("providers", "\(name) \(reason(name, providers)); the project has \(ways.joined(separator: ", "))")
            }
            if flow.kind == .passwordReset, !settings.signIn.password {
                entry.fault(
                    "kind", "is passwordReset, but the project has no passwords; write signIn: {password: true}, or remove the flow")
            }
            if flow.kind == .signUp, !settings.signIn.signUp {
                entry.fault("kind", "is signUp, but signIn.signUp is false, so no person can; change one of them")
            }
        }
    }

    private static func reason(_ name: String, _ providers: [ProviderSettings]) -> String {
        switch name {
        case "password", "emailLink": "is switched off: signIn.\(name) is not true"
        case "passkey": "is switched off: the project has no section passkeys"
        case _ where providers.contains(where: { $0.id == name }): "is switched off (enabled: false)"
        default: "is neither password, emailLink, passkey nor the id of a provider of this project"
        }
    }
}
