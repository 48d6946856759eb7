import Accounts
import ArgumentParser
import Crypto
import Hooks
import JSON
import ProjectSettings
import Projects
import Runtime
import Server

/// `gatehouse hooks`: tries a hook of a project.
struct HooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks", abstract: "Try the pages that are asked before a sign-in ends or a message is sent.",
        subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Ask a hook once about a person who does not exist, and print what its answer means.",
            discussion: "Nothing is stored, and no session is made. Ends with 1 when the answer is not sound.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The hook, as the project's file names it.", completion: .list(HookEvent.allCases.map(\.rawValue)))
        var hook: String

        func run() async throws {
            let server = try common.serverSettings()
            let configuration = try common.soundConfiguration()
            guard let event = HookEvent(rawValue: hook) else {
                let names = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failed("\(CommandSupport.visible(hook)) is not a hook; the hooks are \(names)")
            }
            try await CommandSupport.withDatabase(common) { database, masterKey in
                let settings = try await configuration.realm(project, in: TenantRows(database: database, clock: .system)).settings
                guard let target = settings.hooks[event] else { throw Failed("the project's file has no hook \(event.rawValue)") }
                let keys = SigningKeys()
                try await SigningKeyStore(database: database, masterKey: masterKey, clock: .system).load(into: keys)
                let client = try CommandSupport.client(dialling: server.dialPolicy, on: try Loop(index: 0))
                let tokens = HookTokens(clock: .system, signingKeys: keys, publicURL: server.publicURL)
                let calls = HookCalls(
                    upstream: client, tokens: tokens, traffic: HookTraffic(metrics: Metrics()), clock: .system, log: .silent)
                let question = HookQuestion(trying: event, id: Random.token(16), at: Clock.system.now())
                let token = try tokens.token(for: question, to: target, in: settings)
                let reply: HookReply
                do throws(HookFault) {
                    reply = try await calls.reply(to: question, token, by: target, within: .milliseconds(6500), in: settings)
                } catch {
                    throw Failed("\(event.rawValue) gave no sound answer: \(error.reason). By onFailure: \(target.onFailure.rawValue)")
                }
                print(Self.words(for: reply, of: event))
            }
        }

        private static func words(for reply: HookReply, of event: HookEvent) -> String {
            switch reply {
            case .refused(let refusal):
                let reason = "status \(refusal.code) \(refusal.status): \(CommandSupport.visible(refusal.message))"
                return "\(event.rawValue) refuses, with \(reason)"
            case .answer(let answer):
                let changes = answer.changes.map { "\n  \($0.name): \(CommandSupport.visible($0.value))" }
                return "\(event.rawValue) goes on." + (changes.isEmpty ? "" : " It changes:") + changes.joined()
            }
        }
    }
}

extension HookAnswer {
    /// The changes that it asks for, in words.
    fileprivate var changes: [(name: String, value: String)] {
        func text(_ update: FieldUpdate<String>) -> String? {
            switch update {
            case .keep: nil
            case .clear: "removed"
            case .set(let value): value
            }
        }
        let all: [(name: String, value: String?)] = [
            ("displayName", text(displayName)), ("photoURL", text(photoURL)), ("emailVerified", emailVerified.map { "\($0)" }),
            ("customClaims", text(customClaims)), ("sessionClaims", sessionClaims), ("disabled", disables ? "true" : nil),
        ]
        return all.compactMap { change in change.value.map { (change.name, $0) } }
    }
}
