import Accounts
import ArgumentParser
import HTTP
import Identity

/// `gatehouse limits`: what was counted against the rate limits.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits", abstract: "Forget what was counted against a person's limits.", subcommands: [Forget.self])

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget what was counted against one person, who can then try again at once.",
            discussion: """
                Most limits count by the account or its address. Some count by the client's address as well, or by it alone: --address names it, \
                as the log does in its line "a rate limit is reached".
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The account's id, the localId of the API.")
        var account: String?

        @Option(help: "The account's address, in place of its id; it needs no account.")
        var email: String?

        @Option(help: "The address of the person's client, such as 192.0.2.7.")
        var address: String?

        func validate() throws {
            guard account == nil || email == nil else { throw ValidationError("Give an account's id or --email, not both.") }
            guard account != nil || email != nil || address != nil else {
                throw ValidationError("Give an account's id, --email or --address.")
            }
            if let address, Address(address) == nil { throw ValidationError("\(address) is not an address such as 192.0.2.7.") }
        }

        func run() async throws {
            let email = try email.map(CommandSupport.canonical)
            try await UsersCommand.withAccounts(common, of: project, as: "limits forget") { access in
                var wanted = AccountLists.Wanted()
                (wanted.ids, wanted.emails) = ([account].compactMap(\.self), [email].compactMap(\.self))
                let found = try await access.accounts.administration.lists.find(wanted, by: access.administrator).first?.account
                if account != nil, found == nil { throw AccountError.accountNotFound }
                let person = LimitedPerson(
                    accountID: found?.id, email: found?.email ?? email, phoneNumber: found?.phoneNumber,
                    address: address.flatMap(Address.init)?.limitKey.description)
                let count = try await access.accounts.limits.forget(
                    person, on: found?.id, emailHash: found == nil ? email.map { access.hash(of: $0) } : nil, by: access.administrator)
                print(count == 0 ? "Nothing was counted." : "\(count) \(count == 1 ? "limit is" : "limits are") forgotten.")
            }
        }
    }
}
