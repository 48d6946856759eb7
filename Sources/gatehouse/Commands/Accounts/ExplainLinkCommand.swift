import Accounts
import ArgumentParser
import FoundationEssentials
import Identity
import JSON
import ProjectSettings
import Projects
import Providers
import Runtime
import Server
import Text
import Web

/// `gatehouse explain-link`: says which account a sign-in with a provider would open, and why.
struct ExplainLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain-link",
        abstract: "Say which account a sign-in with a provider would open, by which rule, and what would be written.",
        discussion: """
            Reads claims as if the provider had signed them, and looks the accounts up. Changes nothing, and asks no provider.

            The file is a JSON object: the claims of an ID token. A provider without ID tokens is known by the answers of its API; these stand in the \
            file under their paths, such as {"/user": {…}, "/user/emails": […]}.
            """)

    @OptionGroup var common: CommonOptions

    @Argument(.project) var project: String

    @Option(help: "The provider's id, as in the project's file.", completion: .providers)
    var provider: String

    @Option(help: "The JSON file with the claims, or with the answers of the provider's API.", completion: .file())
    var claims: String

    @Option(help: "The id of an account: explain a link by this account, and not a sign-in.")
    var link: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let (found, settings) = try common.soundConfiguration().entry(of: provider, in: project)
        let file = try read()
        let supposed: SupposedSignIn
        do {
            supposed = try await ConfiguredProvider.signIn(supposing: file, of: settings, clock: .system)
        } catch {
            throw Failed("\(claims) does not describe a sign-in: \(CommandSupport.visible(error.logDetail))")
        }
        try await CommandSupport.withDatabase(common) { database, _ in
            do {
                let preview = try await LinkingPreviews(database: database).preview(
                    supposed.identity, linkingTo: link, in: found.settings)
                let explanation = LinkExplanation(preview, of: supposed, settings: found.settings)
                print(json ? explanation.json : explanation.text)
            } catch AccountError.accountNotFound {
                throw Failed("project \(project) has no account \(link ?? "")")
            }
        }
    }

    private func read() throws -> JSON {
        guard let bytes = FileManager.default.contents(atPath: claims) else { throw Failed("\(claims) cannot be read") }
        do {
            let json = try JSON.parse(Array(bytes))
            guard json.object != nil else { throw Failed("\(claims) does not hold a JSON object") }
            return json
        } catch let error as JSONError {
            throw Failed("\(claims) is not JSON: \(error)")
        }
    }
}
