import Accounts
import Brokerage
import Config
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Runtime
import Text
import Web

/// The providers of a project: what its file says, what must be registered with each, and how sign-ins there went in the last day.
struct ProvidersPage: ConsolePage {
    static let path = "/projects/{project}/providers"
    static let place = ConsolePlace.providers

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        let lines = project.fileName.map { visit.console.facts.projectSettings($0) } ?? []
        let totals = try await visit.signInsOfDay()
        return ConsoleView(
            "providers",
            [
                "hasProviders": .flag(!project.configuredProviders.isEmpty), "realmID": .text(project.settings.storageID),
                "providers": .list(
                    try project.configuredProviders.map { provider -> [String: TemplateValue] in
                        let line = lines.first { $0.path == "providers.\(provider.id).clientId" }?.line
                        let facts: [String: TemplateValue] = [
                            "id": .text(provider.id), "name": .text(provider.name), "isOff": .flag(!provider.enabled),
                            "line": .text(line.flatMap { line in project.fileName.map { "\($0):\(line)" } }),
                            "client": .text(provider.clientID), "issuer": .text(provider.storedIssuer),
                            "redirectURI": .text(project.handlerURL(of: provider)),
                            "check": .text(visit.may(CheckProvider.role) ? try visit.projectLink("/providers/\(provider.id)/check") : ""),
                        ]
                        return facts.merging(Self.traffic(totals.filter { $0.provider == provider.id })) { own, _ in own }
                    }),
            ])
    }

    /// How sign-ins at one provider ended.
    private static func traffic(_ totals: [SignInLogReader.Total]) -> [String: TemplateValue] {
        let refused = totals.filter { $0.code != nil }
        let last = refused.max { $0.last < $1.last }
        return [
            "signIns": .text("\(totals.filter(\.isSuccess).reduce(0) { $0 + $1.count })"),
            "refused": .text("\(refused.reduce(0) { $0 + $1.count })"), "lastRefused": .text((last?.last).map(Timestamp.minute)),
            "lastReason": (last?.code).map(RefusalWords.word) ?? "",
        ]
    }
}

extension ConsoleVisit {
    /// The sign-ins of the project in the last 24 hours, by their ways, outcomes and reasons.
    func signInsOfDay(onlyRefused: Bool = false) async throws -> [SignInLogReader.Total] {
        var filter = SignInLogReader.Filter()
        (filter.onlyRefused, filter.since) = (onlyRefused, now - .seconds(86400))
        return try await accounts.operators.signInLog.totals(filter, in: try project.settings.storageID)
    }
}

/// Asks a provider what `gatehouse check --live` asks. It changes nothing, and is a form all the same: it sends requests to another server. So it has a
/// limit of its own, and a record.
struct CheckProvider: ConsoleAct {
    static let path = "/projects/{project}/providers/{provider}/check"
    static let place = ConsolePlace.providers
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        ConsoleConfirmation(
            "checkProvider", ["provider": .text(try Self.provider(visit).name)], cancel: try visit.projectLink("/providers"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let (project, provider) = (try visit.project, try Self.provider(visit))
        let checks = visit.accounts.operators.providerChecks
        try await checks.charge(by: visit.act, in: project.settings)
        let faults = await visit.context.services.brokerage.diagnose(
            provider, redirectURI: project.handlerURL(of: provider), log: visit.context.log)
        try await checks.record(provider.id, faults: faults.count, by: visit.act, in: project.settings)
        return .shows(
            ConsoleView(
                "providerCheck",
                [
                    "provider": .text(provider.name), "isSound": .flag(faults.isEmpty),
                    "faults": .list(faults.map { ["fault": .text(ConsoleVisit.inert($0))] }),
                ],
                path: [.init(name: .text(provider.name), link: try visit.projectLink("/providers"))]))
    }

    private static func provider(_ visit: ConsoleVisit) throws -> ProviderSettings {
        let id = visit.parameter("provider")
        guard let provider = try visit.project.configuredProviders.first(where: { UTF8Text($0.id) == id }) else { throw Failure.notFound }
        return provider
    }
}
