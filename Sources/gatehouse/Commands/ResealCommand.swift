import Accounts
import ArgumentParser
import Runtime
import Server

/// `gatehouse keys reseal`: the step to take after the master key was changed.
struct ResealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract:
            "Seal again, with the first master key, what a former one has sealed, and print what is left. Can be run again at any time.",
        discussion: "Ends with status 0 once nothing is left under the former keys, and with 3 as long as something is.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.serverSettings()
        let client = try CommandSupport.client(dialling: CommandSupport.thisMachine(settings.listen.dialled), on: try Loop(index: 0))
        if let address = await KnownMasterKey.stranger(settings, client, .system) {
            throw Failed(
                "nothing was sealed: the server at \(address) does not know the first master key yet, and could read nothing that it seals; "
                    + "restart every server with this configuration, then run this again")
        }
        try await CommandSupport.withDatabase(common) { database, masterKey in
            let outcome = try await Reseal(database: database, masterKey: masterKey, clock: .system).run()
            print("Sealed again: \(outcome.resealed.map(\.text).joined(separator: ", ")).")
            if outcome.unreadable > 0 {
                print("Left: \(count(outcome.unreadable, "row")) that no listed master key opens.")
            }
            if let end = outcome.flowsEnd {
                print("Left: \(count(outcome.flows, "sign-in")) under way; the last one ends at \(Timestamp.text(end)).")
            }
            if outcome.sessions > 0 {
                print("Left: \(count(outcome.sessions, "session")) whose client has not shown a token of the first master key yet.")
            }
            guard outcome.isDone else { throw ExitCode(3) }
            print("Nothing is left under another master key.")
        }
    }

    private func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
}
