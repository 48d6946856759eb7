import Accounts
import ArgumentParser
import Brokerage
import Curl
import JSON
import Postgres
import Projects
import Providers
import Runtime
import Server

/// `gatehouse provider-tokens`: the tokens that providers gave for people, for back ends that ask a provider's API.
struct ProviderTokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider-tokens", abstract: "Print the tokens that providers gave for people.", subcommands: [Get.self])

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Print an access token of a person at a provider; a newer one when the stored one has ended.",
            discussion: """
                Prints the access token alone, and by OAuth 1.0a its secret on a second line. Needs storeProviderTokens: true in the provider's \
                entry. Each use is an audit event.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(.account) var account: String

        @Argument(help: "The provider's id, as in the project's file.", completion: .providers)
        var provider: String

        @Flag(help: "Print one JSON object, with the end of the token.")
        var json = false

        func run() async throws {
            let configuration = try common.soundConfiguration()
            let settings = try configuration.entry(of: provider, in: project).provider
            guard settings.keepsTokens else {
                throw Failed("provider \(provider) of project \(project) keeps no tokens; its entry lacks storeProviderTokens: true")
            }
            let client = try CommandSupport.client(dialling: configuration.server.dialPolicy, on: try Loop(index: 0))
            try await CommandSupport.withDatabase(common) { database, masterKey in
                try await refuseOtherIssuer(than: settings, database)
                let access = ProviderAccess(
                    store: ProviderTokenStore(database: database, masterKey: masterKey, clock: .system), upstream: client,
                    metadata: MetadataCache(), clock: .system)
                let owner = ProviderTokens.Owner(projectID: project, accountID: account, providerID: provider)
                let outcome: ProviderAccess.Outcome
                do throws(BrokerageError) {
                    outcome = try await access.tokens(of: owner, at: settings, for: .command("provider-tokens get"))
                } catch {
                    throw failure(error)
                }
                print(try text(of: outcome))
            }
        }

        /// Under another issuer, the same identity is another person.
        private func refuseOtherIssuer(than settings: ProviderSettings, _ database: Database) async throws {
            let entry = ProviderIssuers.Entry(projectID: project, providerID: provider, issuer: settings.storedIssuer)
            guard let pinned = try await ProviderIssuers(database: database).conflicts(with: [entry]).first else { return }
            throw Failed("the people of \(provider) are those of \(pinned.issuer), and not of this entry's issuer")
        }

        private func failure(_ error: BrokerageError) -> any Error {
            switch error {
            case .account(.accountNotFound): Failed("project \(project) has no account \(account)")
            case .account(let error): error
            default: Failed(CommandSupport.visible("\(provider) gives no newer token: \(error.logDetail ?? "\(error)")"))
            }
        }

        private func text(of outcome: ProviderAccess.Outcome) throws -> String {
            switch outcome {
            case .tokens(let tokens): json ? tokens.json : tokens.lines
            case .none: throw Failed("no tokens of \(provider) are stored for account \(account); the person must sign in with it first")
            case .ended(let reason):
                throw Failed(CommandSupport.visible("the person of account \(account) must sign in with \(provider) again. \(reason)"))
            case .accountDisabled: throw Failed("account \(account) is disabled")
            }
        }
    }
}

extension ProviderTokens {
    fileprivate var lines: String {
        [accessToken, accessTokenSecret].compactMap(\.self).map(CommandSupport.visible).joined(separator: "\n")
    }

    /// Without the refresh token, which stays here.
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("accessToken", accessToken)
            writer.field("accessTokenSecret", accessTokenSecret)
            writer.field("expiresAt", expires.map { Timestamp.text($0) })
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
