import Accounts
import ArgumentParser
import Console
import HTTP
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

        @Option(help: "The only client address that may use it, such as 203.0.113.7. Without it, a browser of this machine alone may.")
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
            commandName: "operators", abstract: "Print the operators of gatehouse.yaml, and the people whom addresses are bound to.")

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let settings = try common.serverSettings()
            guard let console = settings.console?.settings else { throw Failed("gatehouse.yaml has no console") }
            try await CommandSupport.withDatabase(common) { database, _ in
                let bindings = try await OperatorBindings(database: database, clock: .system).list()
                var table = Table("NAME", "ROLE", "PROJECTS", "EMAIL", "SUBJECT", "BOUND")
                table.print(
                    console.operators.map { entry in
                        let binding = bindings.first { $0.email == entry.email }
                        return [
                            entry.person.name, entry.person.role.rawValue,
                            entry.person.projects.map { $0.sorted().joined(separator: ",") } ?? "all", entry.email ?? "",
                            entry.subject ?? binding?.person.subject ?? "", binding.map { Timestamp.minute($0.boundAt) } ?? "",
                        ].map(CommandSupport.visible)
                    })
            }
        }
    }

    struct Unbind: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unbind", abstract: "Forget which person an operator's address is bound to, and end that person's sessions.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The address, as gatehouse.yaml has it.")
        var email: String

        func run() async throws {
            let email = try CommandSupport.canonical(email)
            try await CommandSupport.withDatabase(common) { database, _ in
                let bindings = OperatorBindings(database: database, clock: .system)
                guard try await bindings.unbind(email, by: "console unbind") else { throw Failed("\(email) is not bound to a person") }
                print("\(email) is not bound any more. The next person who proves the address is.")
            }
        }
    }
}
