import Accounts
import ArgumentParser
import Server

extension UsersCommand {
    /// `gatehouse users hash`: for a search in the log and in the audit events, which have no addresses.
    struct Hash: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "hash", abstract: "Print the hash by which the log and the audit events name an address.",
            discussion: """
                It is made with the master key. While that is being changed, a line for each listed key is printed, the first of them for what is \
                written now.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "An e-mail address, with or without an account.")
        var email: String

        func run() async throws {
            if let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
            let hashes = AddressHashes(masterKey: try common.serverSettings().masterKey)
            for hash in hashes.all(of: try CommandSupport.canonical(email), in: project) { print(hash) }
        }
    }
}
