import Accounts
import Crypto
import Glibc
import HTTP
import HTTPServer
import ProjectSettings
import Projects

/// Looks for what the configuration allows and an operator should know.
struct SettingsChecks {
    let configuration: Configuration

    private var settings: ServerSettings { configuration.server }

    func findings() -> [Finding] {
        var findings: [Finding] = []
        if settings.development {
            findings.append(
                .warning(
                    "settings.development", "development is true: any program of this machine can read mails and delete accounts",
                    "use it on a developer's machine alone"))
        }
        if let note = OperationsNotes.finding(settings) { findings.append(note) }
        if !settings.development, settings.trustedProxies.isEmpty {
            findings.append(
                .warning(
                    "settings.proxies", "trustedProxies is empty, so the proxy that serves publicURL counts as the client of every request",
                    "list the addresses of the proxy"))
        }
        if settings.masterKey.isBeingChanged {
            findings.append(
                .warning(
                    "settings.masterKey", "masterKey lists a former key", "run gatehouse keys reseal, and take that key off the list"))
        }
        findings += [hashing(), descriptors()].compactMap(\.self)
        for project in configuration.projects { findings += self.findings(of: project.settings) }
        return findings
    }

    private func findings(of project: ProjectSettings) -> [Finding] {
        var findings: [Finding] = []
        if settings.mail == nil, project.signIn.password {
            findings.append(
                .warning(
                    "settings.mail", "People of the project \(project.id) sign in with passwords, and no mail can reset one",
                    "write mail in gatehouse.yaml"))
        }
        guard !settings.development else { return findings }
        for action in LimitedAction.allCases {
            for (scope, standard) in action.standard where standard != nil && project.limits[action, scope] == nil {
                findings.append(
                    .warning(
                        "settings.limits", "The project \(project.id) has no limit \(action.rawValue).\(scope.configKey)",
                        "take none out of limits, or write a rate"))
            }
        }
        return findings
    }

    private func hashing() -> Finding? {
        let needed = settings.passwordHashing.scrypt.memory * settings.passwordHashing.threads
        let machine = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        guard machine > 0, needed > machine / 2 else { return nil }
        return .warning(
            "settings.hashing",
            "\(settings.passwordHashing.threads) password hashes at a time take \(needed >> 20) MiB, more than half of this machine's memory",
            "lower passwordHashing.threads or its cost")
    }

    /// So few that an ordinary day uses them up.
    private static let fewConnections = 500

    private func descriptors() -> Finding? {
        guard settings.limits.connections < Self.fewConnections else { return nil }
        return .warning(
            "settings.connections", "The server takes \(settings.limits.connections) connections of clients at a time",
            "raise limits.connections, or LimitNOFILE where that bounds it")
    }
}
