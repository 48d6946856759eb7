import Accounts
import ArgumentParser
import JOSE
import JSON
import Runtime

/// `gatehouse keys`: lists or rotates the keys that sign ID tokens and session cookies.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List or rotate the keys that sign ID tokens and session cookies; move what is sealed to a new master key.",
        subcommands: [List.self, Rotate.self, ResealCommand.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print every key: id, algorithm, what it does now, and what it signs.")

        @OptionGroup var common: CommonOptions

        @Flag(help: "Print one JSON object for each key.")
        var json = false

        func run() async throws {
            try await KeysCommand.withStore(common) { store in
                let keys = SigningKeyStore.statuses(of: try await store.list(), at: Clock.system.now())
                if keys.isEmpty { CommandSupport.remark("No keys yet. The server makes them when it starts for the first time.") }
                if json { return Terminal.write(keys.map { $0.key.json($0.status) }.joined()) }
                var table = Table("KEY", "ALGORITHM", "PURPOSE", "STATE")
                table.print(keys.map { [$0.key.kid, $0.key.algorithm, $0.key.purpose.rawValue, $0.status.text] })
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Publish a new key now and let it sign two hours later, when every cache has it.")

        @OptionGroup var common: CommonOptions

        @Option(help: "RS256 or ES256.", completion: .list(["RS256", "ES256"]), transform: Rotate.algorithm)
        var algorithm = Algorithm.rs256

        @Option(
            help: "What the key is for: idToken or sessionCookie.", completion: .list(SigningKeyPurpose.allCases.map(\.rawValue)),
            transform: Rotate.purpose)
        var purpose = SigningKeyPurpose.idToken

        @Flag(
            help:
                "Let the new key sign at once, and withdraw the old ones: for a key that leaked. Back ends refuse new tokens until they fetch the key set again."
        )
        var compromised = false

        private static func purpose(_ name: String) throws -> SigningKeyPurpose {
            guard let purpose = SigningKeyPurpose(rawValue: name) else {
                throw ValidationError("--purpose is \(SigningKeyPurpose.allCases.map(\.rawValue).joined(separator: " or "))")
            }
            return purpose
        }

        func validate() throws {
            guard purpose.algorithms.contains(algorithm) else {
                throw ValidationError("a key for \(purpose.rawValue) is of \(purpose.algorithms.map(\.rawValue).joined(separator: " or "))")
            }
        }

        private static func algorithm(_ name: String) throws -> Algorithm {
            guard let algorithm = Algorithm(rawValue: name), [.rs256, .es256].contains(algorithm) else {
                throw ValidationError("--algorithm is RS256 or ES256")
            }
            return algorithm
        }

        func run() async throws {
            try await KeysCommand.withStore(common) { store in
                do {
                    let (kid, signsFrom) = try await store.rotate(algorithm, for: purpose, compromised: compromised)
                    print(kid)
                    let time = Timestamp.text(signsFrom)
                    CommandSupport.remark(
                        signsFrom <= Clock.system.now()
                            ? "It signs at once; every server has it within a minute."
                            : "Every server publishes the new key within a minute; it signs from \(time) on. The key before it verifies until its last token has expired."
                    )
                } catch let waiting as RotationWaits {
                    throw Failed(
                        "nothing was made: the key \(waiting.kid) of an earlier rotation waits, and signs from \(Timestamp.text(waiting.signsFrom)) on. "
                            + "After a leak, use --compromised")
                } catch is RotationUnderWay {
                    throw Failed(
                        "nothing was made: another rotation, or other work in the database, holds the keys. Look at gatehouse keys list, and try again"
                    )
                }
            }
        }
    }

    private static func withStore(_ common: CommonOptions, _ body: (SigningKeyStore) async throws -> Void) async throws {
        try await CommandSupport.withDatabase(common) { database, masterKey in
            try await body(SigningKeyStore(database: database, masterKey: masterKey, clock: .system))
        }
    }
}

extension SigningKeyStore.Status {
    fileprivate var text: String {
        switch self {
        case .waits(let signsFrom): "published, signs from \(Timestamp.text(signsFrom))"
        case .signs(let since, nil): "signs, since \(Timestamp.text(since))"
        case .signs(let since, let until?): "signs, since \(Timestamp.text(since)), until \(Timestamp.text(until))"
        case .verifies(let until?): "does not sign any more, verifies its last tokens until \(Timestamp.text(until))"
        case .verifies(nil): "does not sign any more, still published"
        case .retired(let since): "retired, since \(Timestamp.text(since))"
        }
    }

    /// For programs.
    fileprivate var name: String {
        switch self {
        case .waits: "waits"
        case .signs: "signs"
        case .verifies: "verifies"
        case .retired: "retired"
        }
    }
}

extension SigningKeyStore.Entry {
    fileprivate func json(_ status: SigningKeyStore.Status) -> String {
        JSONWriter.line { writer in
            writer.field("kid", kid)
            writer.field("algorithm", algorithm)
            writer.field("purpose", purpose.rawValue)
            writer.field("state", status.name)
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("signsFrom", Timestamp.text(signsFrom))
            writer.field("retiresAt", retiresAt.map(Timestamp.text))
        }
    }
}
