import Accounts
import ArgumentParser
import Runtime
import Text

extension UsersCommand {
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search", abstract: "Find accounts by a part of what is known of a person.",
            discussion: """
                The text is an account's id, an address or its beginning, @ with a domain, a phone number, a provider's id with a subject \
                (google.com:1234), a provider's address of a person, or the beginning of a name. '*text*' finds the text anywhere in addresses and \
                names, where "gatehouse console index --substring" has made the index for that. Without a text, the newest accounts are printed.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The text.")
        var text = ""

        @Flag(help: "Print only accounts that are disabled.")
        var disabled = false

        @Option(
            help: "Print only accounts with this way to sign in: a provider's id, password, phone, passkey, custom or anonymous.",
            completion: .providers)
        var provider: String?

        @Option(
            help: "Print only accounts that were made from this time on: a date, a time, or an age (7d).", transform: TimeOption.reading)
        var since: TimeOption?

        @Option(help: "Print only accounts that were made before this time.", transform: TimeOption.reading)
        var before: TimeOption?

        @Option(help: "How many to print at most.")
        var limit = 50

        @Flag(help: "Print one JSON object for each account.")
        var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            var filter = SearchFilter()
            filter.disabled = disabled
            filter.providerID = provider
            (filter.createdSince, filter.createdBefore) = (since?.instant, before?.instant)
            let search: UserSearch
            do throws(UserSearch.Fault) { search = try UserSearch(text, filter) } catch { throw Failed(error.sentence) }
            try await UsersCommand.withAccounts(common, of: project, as: "users search") { access in
                var (place, left): (UTF8Text?, Int) = (nil, limit)
                var table = Table("ACCOUNT", "E-MAIL", "NAME", "PROVIDERS", "MADE", "LAST SIGN-IN", "STATE")
                repeat {
                    let page = try await page(search, from: place, most: min(left, UserSearches.pageLength), access)
                    if json {
                        Terminal.write(page.accounts.map { $0.json + "\n" }.joined())
                    } else {
                        table.print(page.accounts.map(\.row))
                    }
                    left -= page.accounts.count
                    place = page.next.map { UTF8Text($0) }
                } while left > 0 && place != nil
                if left == limit { CommandSupport.remark("No accounts.") }
                if place != nil { CommandSupport.remark("There are more; --limit prints more of them.") }
            }
        }

        private func page(_ search: UserSearch, from place: UTF8Text?, most: Int, _ access: Access) async throws -> UserPage {
            switch try await access.accounts.administration.searches.page(search, from: place, most: most, by: access.administrator) {
            case .page(let page): return page
            case .notIndexed:
                throw Failed(
                    "nothing finds a text in the middle of others until \"gatehouse console index --substring\" has made the index")
            case .tookTooLong: throw Failed("too many accounts match to be read in two seconds; give more of the text")
            case .unknownPlace: throw Failed("the search has changed")
            }
        }
    }
}

extension UserSearch.Fault {
    fileprivate var sentence: String {
        switch self {
        case .tooLong: "the text is longer than \(UserSearch.longest) characters"
        case .unreadable: "the text has control characters, or such as change the direction of writing"
        case .tooShort: "a text in the middle of others needs at least \(UserSearch.shortestSubstring) characters"
        }
    }
}
