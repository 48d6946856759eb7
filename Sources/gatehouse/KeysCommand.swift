import Accounts
import ArgumentParser
import JOSE
import Logging
import Postgres
import Runtime

/// `gatehouse keys`: the keys that sign ID tokens.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List or rotate the keys that sign ID tokens; move what is sealed to a new master key.",
        subcommands: [List.self, Rotate.self, ResealCommand.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print every key: id, algorithm, since when it signs, when it retires.")

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await KeysCommand.withStore(common.config) { store in
                for key in try await store.list() {
                    let end = key.retiresAt.map { "retires \(Timestamp.text($0))" } ?? "in use"
                    print("\(key.kid)  \(key.algorithm)  signs from \(Timestamp.text(key.signsFrom))  \(end)")
                }
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Publish a new key now and let it sign two hours later, when every cache has it.")

        @OptionGroup var common: CommonOptions

        @Option(help: "RS256 or ES256.", transform: Rotate.algorithm)
        var algorithm = Algorithm.rs256

        @Flag(
            help:
                "Let the new key sign at once, and withdraw the old ones: for a key that leaked. Back ends refuse new tokens until they fetch the key set again."
        )
        var compromised = false

        private static func algorithm(_ name: String) throws -> Algorithm {
            guard let algorithm = Algorithm(rawValue: name), [.rs256, .es256].contains(algorithm) else {
                throw ValidationError("--algorithm is RS256 or ES256")
            }
            return algorithm
        }

        func run() async throws {
            try await KeysCommand.withStore(common.config) { store in
                let kid = try await store.rotate(algorithm, compromised: compromised)
                print(kid)
            }
        }
    }

    private static func withStore(_ config: String, _ body: (SigningKeyStore) async throws -> Void) async throws {
        try await Console.withDatabase(config) { database, masterKey in
            try await body(SigningKeyStore(database: database, masterKey: masterKey, clock: .system))
        }
    }
}
