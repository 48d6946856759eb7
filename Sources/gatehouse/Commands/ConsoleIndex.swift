import Accounts
import ArgumentParser
import Postgres

/// `gatehouse console index`: makes what a search in the middle of texts needs.
struct ConsoleIndex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Make or drop the index by which texts in the middle of addresses and names are found.",
        discussion: """
            The index takes space and makes sign-ups slower, so it is not there until an operator makes it. It is made while sign-ins go on, by the \
            extensions pg_trgm and btree_gin, which the owner of a database may create.
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Make the index of substrings.")
    var substring = false

    @Flag(help: "Drop the index of substrings.")
    var drop = false

    func validate() throws {
        guard substring != drop else { throw ValidationError("Give --substring or --drop.") }
    }

    func run() async throws {
        // Making the index of a large table takes long.
        try await CommandSupport.withDatabase(common, statementsLasting: .seconds(86400)) { database, _ in
            let index = SubstringIndex(database: database)
            if drop {
                try await index.drop()
                print("The index is dropped.")
            } else {
                try await index.make()
                print("Addresses and names are found by any part of them.")
            }
        }
    }
}
