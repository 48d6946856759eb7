import Accounts
import ArgumentParser
import Identity
import Runtime
import Text

extension UsersCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the accounts of a project, in the order of their ids.",
            discussion: "Reads a thousand at a time, so that any number of accounts takes little memory.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Option(help: "Begin behind the account with this id.")
        var after: String?

        @Option(help: "How many to print at most.")
        var limit: Int?

        @Flag(help: "Print only accounts that are disabled.")
        var disabled = false

        @Flag(help: "Print one JSON object for each account.")
        var json = false

        func validate() throws {
            guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        private static let page = 1000

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: project, as: "users list") { access in
                var (position, left) = (after, limit ?? .max)
                var table = Table("ACCOUNT", "E-MAIL", "NAME", "PROVIDERS", "MADE", "LAST SIGN-IN", "STATE")
                var progress = Progress("accounts", sharesTerminal: true)
                while left > 0 {
                    let page = try await access.accounts.administration.lists.page(
                        after: position, most: disabled ? Self.page : min(Self.page, left), by: access.administrator)
                    let shown = page.map(\.account).filter { !disabled || $0.disabled }.prefix(left)
                    if json {
                        Terminal.write(shown.map { $0.json + "\n" }.joined())
                    } else {
                        table.print(shown.map(\.row))
                    }
                    left -= shown.count
                    progress.add(page.count)
                    position = page.last?.account.id
                    if page.isEmpty { break }
                }
                progress.finish()
                if left == limit ?? .max { CommandSupport.remark("No accounts.") }
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print one account: by its id, its address, its phone number, or an identity at a provider.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The account's id, the localId of the API.")
        var account: String?

        @Option(help: "The account's address.")
        var email: String?

        @Option(help: "The account's phone number, such as +15551234567.")
        var phone: String?

        @Option(help: "The id of a provider; with --subject.", completion: .providers)
        var provider: String?

        @Option(help: "The provider's name for the person, as sub in its ID tokens.")
        var subject: String?

        @Flag(help: "Print one JSON object.")
        var json = false

        func validate() throws {
            let ways = [account, email, phone, provider].compactMap(\.self).count
            guard ways == 1, (provider == nil) == (subject == nil) else {
                throw ValidationError("Give an account's id, --email, --phone, or --provider with --subject.")
            }
        }

        func run() async throws {
            var wanted = AccountLists.Wanted()
            wanted.ids = [account].compactMap(\.self)
            wanted.emails = [email.map { EmailAddress.canonical($0) ?? $0 }].compactMap(\.self)
            wanted.phoneNumbers = [phone].compactMap(\.self)
            if let provider, let subject { wanted.identities = [(provider, subject)] }
            try await UsersCommand.withAccounts(common, of: project, as: "users get") { access in
                let found = try await access.accounts.administration.lists.find(wanted, by: access.administrator)
                guard let account = found.first?.account else { throw email == nil ? AccountError.accountNotFound : .noSuchEmail }
                Terminal.write(json ? account.json + "\n" : account.lines)
            }
        }
    }
}
