import Accounts
import Brokerage
import Config
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// The providers of a project: what its file says, and what must be registered with each.
struct ProvidersPage: ConsolePage {
    static let path = "/projects/{project}/providers"
    static let place = ConsolePlace.providers

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        let lines = project.fileName.map { visit.console.facts.projectSettings($0) } ?? []
        return ConsoleView(
            "providers",
            [
                "hasProviders": .flag(!project.configuredProviders.isEmpty),
                "providers": .list(
                    try project.configuredProviders.map { provider in
                        let line = lines.first { $0.path == "providers.\(provider.id).clientId" }?.line
                        return [
                            "id": .text(provider.id), "name": .text(provider.name), "isOff": .flag(!provider.enabled),
                            "line": .text(line.flatMap { line in project.fileName.map { "\($0):\(line)" } }),
                            "client": .text(provider.clientID), "issuer": .text(provider.storedIssuer),
                            "redirectURI": .text(project.handlerURL(of: provider)),
                            "check": .text(visit.may(CheckProvider.role) ? try visit.projectLink("/providers/\(provider.id)/check") : ""),
                        ]
                    }),
            ])
    }
}

/// Asks a provider what `gatehouse check --live` asks. It changes nothing, and is a form all the same: it sends requests to another server.
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
        let client = visit.client
        try await visit.context.broker(of: project).charge(.startSignIn, from: client)
        let faults = await visit.context.services.brokerage.diagnose(
            provider, redirectURI: project.handlerURL(of: provider), log: visit.context.log)
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
