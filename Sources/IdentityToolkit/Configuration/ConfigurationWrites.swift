import Accounts
import HTTP
import JSON
import Projects
import Providers
import Text
import Web

/// The body of a call that writes a provider's configuration. It has the fields that such a call can set, and no other one counts.
protocol ProviderConfigInput: Decodable, Sendable {
    associatedtype Config: ProviderConfig
    /// The query parameter that names a new provider.
    static var idParameter: UTF8Text { get }
    /// Why an id is not one of this kind.
    static var invalidID: Failure { get }
    var change: ProviderChange { get }
}

/// The calls that write a project's providers. In development mode, what they write holds for the running process, for test suites of tools
/// that configure a project. Everywhere else they are refused with the name of the file to change instead, since the file alone says how the
/// project is configured.
extension ProviderConfigInput {
    func create(in context: Context) throws -> Config {
        let id = try Form.reading(context.request.query)[Self.idParameter]
        let project = try context.projectThatTakesProviders(id)
        guard let id, !id.isEmpty else { throw Failure.missingConfigurationID }
        guard let id = Self.id(id) else { throw Self.invalidID }
        let entry = try change.entry(id)
        guard !project.namedProviders.contains(UTF8Text(id)) else { throw Failure.configurationExists }
        try context.services.projects.change(entriesOf: project) { (entries) throws(Failure) in
            guard !entries.contains(where: { $0.id == id }) else { throw .configurationExists }
            guard entries.count < ProviderEntry.mostOfCalls else {
                throw .operationNotAllowed("Calls can make at most \(ProviderEntry.mostOfCalls) providers.")
            }
            entries.append(entry)
        }
        return Config(entry, of: project)
    }

    func update(in context: Context) throws -> Config {
        let change = try change.limited(to: try UpdateMask(context.request))
        return Config(try Self.changing(context) { (entry) throws(Failure) in try change.set(in: &entry) }, of: try context.project)
    }

    static func delete(in context: Context) throws { _ = try changing(context, nil) }

    /// Changes the provider that the path names, or takes it away. One that the project's file names stays as it is.
    private static func changing(
        _ context: Context, _ change: ((inout ProviderEntry) throws(Failure) -> Void)?
    ) throws -> ProviderEntry {
        let name = context.parameters["id"] ?? ""
        let project = try context.projectThatTakesProviders(name)
        guard let id = id(name) else { throw Failure.configurationNotFound }
        if project.namedProviders.contains(UTF8Text(id)) { throw try context.configuredByFile(name) }
        var found: ProviderEntry?
        try context.services.projects.change(entriesOf: project) { (entries) throws(Failure) in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .configurationNotFound }
            found = entries[index]
            guard let change else {
                entries.remove(at: index)
                return
            }
            try change(&entries[index])
            found = entries[index]
        }
        guard let found else { throw Failure.configurationNotFound }
        return found
    }

    /// The id of a provider of this kind; `nil` for any other text.
    private static func id(_ text: UTF8Text) -> String? {
        guard text.utf8.count <= 128, let id = Provider.named(text.asString)?.id else { return nil }
        return Config.shows(ProviderEntry(id: id, name: id, enabled: false, clientID: "")) ? id : nil
    }
}

extension Context {
    /// The caller's project or tenant in development mode. Throws for every other one, with the entry of the provider for its file.
    fileprivate func projectThatTakesProviders(_ id: UTF8Text?) throws -> Project {
        guard isOfDevelopment else { throw try configuredByFile(id) }
        return try project
    }

    /// The refusal of a call about this provider.
    fileprivate func configuredByFile(_ id: UTF8Text?) throws -> Failure {
        let lines = request.method == .delete ? "" : ProjectFileLines.entry(of: id, try JSONBody.members(of: request))
        return .configuredByFile(try project.fileName, lines: lines, deleting: request.method == .delete)
    }
}

/// The refusal of every call that writes a provider by SAML.
protocol SAMLWrite: RawAdministratorEndpoint where Input == NoInput {}

/// The input of such a call, which does not matter.
struct NoInput: Decodable, Sendable {}

extension SAMLWrite {
    /// None of them succeeds.
    static var answers: [CallContent.Answer] { [] }

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Response {
        throw Failure.samlUnsupported
    }
}
