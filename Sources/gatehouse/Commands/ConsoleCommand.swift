import Accounts
import ArgumentParser
import Console
import HTTP
import Identity
import Providers
import Runtime
import Server

/// `gatehouse console`: who the console's operators are, and a way in without its provider.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Open the operator console without its provider, or see who its operators are.",
        subcommands: [Open.self, Operators.self, Unbind.self, ConsoleIndex.self])

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Print an address that opens the console once, within five minutes, without its provider.",
            discussion: """
                For the day on which the provider is down, or no operator can sign in. The session lasts 30 minutes and may do everything. The \
                audit keeps the reason, and all operators with an email in the configuration get a mail at once.
                """)

        @OptionGroup var common: CommonOptions

        @Option(help: "Why. The audit keeps it, and the operators read it.")
        var reason: String

        @Option(
            help:
                "The only client address that may use it, such as 203.0.113.7; of an IPv6 address, its /64. Without it, a browser of this machine alone may."
        )
        var from: String?

        func validate() throws {
            guard !reason.allSatisfy({ $0 == " " }), reason.utf8.count <= 500 else {
                throw ValidationError("--reason must say why, in at most 500 bytes.")
            }
            if let from, Address(from) == nil { throw ValidationError("\(from) is not an address such as 203.0.113.7.") }
        }

        func run() async throws {
            let settings = try common.serverSettings()
            guard let console = settings.console else { throw Failed("gatehouse.yaml has no console") }
            let address = from.flatMap(Address.init)?.limitKey.description
            guard from != nil || console.listen.host.isLoopback || ["0.0.0.0", "::"].contains("\(console.listen.host)") else {
                throw Failed(
                    "the console listens at \(console.listen) alone, which no browser of this machine reaches as its own; say with --from which address opens it"
                )
            }
            var code = ""
            try await CommandSupport.withDatabase(common) { database, _ in
                code = try await ConsoleOpenings(database: database, clock: .system).make(
                    reason: reason, from: address, by: "console open")
            }
            // A browser of this machine comes by the listener itself, whatever leads to the console's name.
            let base = from == nil ? "http://localhost:\(console.listen.port)" : console.settings.publicURL
            print("\(base)/open?code=\(code)")
            CommandSupport.remark(
                "Works once, until \(Timestamp.minute(Clock.system.now() + ConsoleOpenings.lifetime)), from "
                    + "\(from ?? "a browser of this machine, such as through ssh -L \(console.listen.port):127.0.0.1:\(console.listen.port)")."
            )
            let client = try CommandSupport.client(dialling: settings.dialPolicy, on: try Loop(index: 0))
            for missed in await OperatorMails(settings, clock: .system).tell(opened: reason, by: client) {
                CommandSupport.remark("Note: \(CommandSupport.visible(missed))")
            }
        }
    }

    struct Operators: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "operators",
            abstract: "Print the operators of gatehouse.yaml, the people whom addresses are bound to, and how many passkeys each has.")

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let settings = try common.serverSettings()
            guard let console = settings.console?.settings else { throw Failed("gatehouse.yaml has no console") }
            try await CommandSupport.withDatabase(common) { database, _ in
                let bindings = try await OperatorBindings(database: database, clock: .system).list()
                let counts = try await OperatorPasskeys.counts(in: database)
                var table = Table("NAME", "ROLE", "PROJECTS", "EMAIL", "SUBJECT", "BOUND", "PASSKEYS")
                table.print(
                    console.operators.map { entry in
                        let binding = bindings.first { $0.email == entry.email }
                        let subject = entry.subject ?? binding?.person.subject
                        let person = subject.map { OperatorPerson(issuer: console.provider?.storedIssuer ?? "", subject: $0) }
                        return [
                            entry.person.name, entry.person.role.rawValue,
                            entry.person.projects.map { $0.sorted().joined(separator: ",") } ?? "all", entry.email ?? "",
                            subject ?? "", binding.map { Timestamp.minute($0.boundAt) } ?? "",
                            "\(counts.first { $0.person == person }?.count ?? 0)",
                        ].map(CommandSupport.visible)
                    })
            }
        }
    }

    struct Unbind: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unbind",
            abstract: "Forget which person an operator's address is bound to, remove that person's passkeys, and end their sessions.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The operator's address as gatehouse.yaml has it, or their subject at the provider.")
        var person: String

        func run() async throws {
            let email = EmailAddress.canonical(person)
            // An entry may have both; then its subject counts.
            let entry = try common.serverSettings().console?.settings.operators.first { email != nil && $0.email == email }
            try await CommandSupport.withDatabase(common) { database, _ in
                let bindings = OperatorBindings(database: database, clock: .system)
                guard try await bindings.unbind(email: email, subject: entry?.subject ?? person, by: "console unbind") else {
                    throw Failed(
                        "\(CommandSupport.visible(person)) is not bound to a person, and is not a subject with passkeys or sessions")
                }
                print("The passkeys of \(CommandSupport.visible(person)) are removed, and their sessions have ended.")
                if let email, entry?.subject == nil {
                    print("\(email) is not bound any more. The next person who proves the address is.")
                }
            }
        }
    }
}
