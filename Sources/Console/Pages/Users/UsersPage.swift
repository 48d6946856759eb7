import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Runtime
import Text
import Web

/// The people of a project: a search, and the accounts that it finds, some at a time.
struct UsersPage: ConsolePage {
    static let path = "/projects/{project}/users"
    static let place = ConsolePlace.users

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let typed = visit.query["q"] ?? ""
        var filter = SearchFilter()
        filter.disabled = visit.query["disabled"] == "1"
        filter.providerID = visit.query["way"].flatMap { $0.isEmpty ? nil : $0.asString }
        let (since, before) = (visit.query["since"] ?? "", visit.query["before"] ?? "")
        filter.createdSince = Instant(utc: since.asString)
        filter.createdBefore = Instant(utc: before.asString)
        var values: [String: TemplateValue] = [
            "action": .text(try visit.projectLink("/users")), "q": .text(ConsoleVisit.inert(typed.asString)),
            "isDisabledOnly": .flag(filter.disabled), "since": .text(filter.createdSince == nil ? "" : since.asString),
            "before": .text(filter.createdBefore == nil ? "" : before.asString), "ways": .list(try ways(filter.providerID, visit)),
        ]
        switch Result(catching: { () throws(UserSearch.Fault) in try UserSearch(typed.asString, filter) }) {
        case .success(let search): values.merge(try await found(search, visit)) { $1 }
        case .failure(let fault): values["fault"] = .word("fault\(fault.word)")
        }
        return ConsoleView("users", values, status: values["fault"] == nil ? 200 : 400)
    }

    private func found(_ search: UserSearch, _ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        let searches = visit.accounts.administration.searches
        let place = visit.query["place"].flatMap { $0.isEmpty ? nil : $0 }
        switch try await searches.page(search, from: place, by: try visit.administrator) {
        case .notIndexed: return ["fault": .word("faultNotIndexed")]
        case .tookTooLong: return ["fault": .word("faultTookTooLong")]
        case .unknownPlace: return ["fault": .word("faultUnknownPlace")]
        case .page(let page):
            var values: [String: TemplateValue] = [
                "hasUsers": .flag(!page.accounts.isEmpty), "users": .list(try page.accounts.map { try row($0, visit) }),
                "isUnfinished": .flag(page.isUnfinished), "isFurther": .flag(place != nil), "first": .text(try link(visit, place: nil)),
                "next": .text(try page.next.map { try link(visit, place: $0) }),
            ]
            if search.text.isEmpty, search.filter == SearchFilter(), place == nil {
                let count = try await searches.estimate(by: try visit.administrator)
                if count > page.accounts.count { values["about"] = .word("about", ["count": .text("\(count)")]) }
            }
            return values
        }
    }

    private func row(_ account: Account, _ visit: ConsoleVisit) throws -> [String: TemplateValue] {
        [
            "user": .text(visit.name(of: account)), "userLink": .text(try visit.userLink(account.id)),
            "userID": .text(visit.shown(account.id)), "userName": .text(account.email == nil ? "" : visit.shown(account.displayName)),
            "userWays": .text(account.signInProviders.map(ConsoleVisit.inert).joined(separator: ", ")),
            "isAnonymous": .flag(account.isAnonymous && account.email == nil), "isDisabled": .flag(account.disabled),
            "isUnverified": .flag(account.email != nil && !account.emailVerified), "made": .text(Timestamp.minute(account.createdAt)),
            "lastSignIn": .text(account.lastLoginAt.map(Timestamp.minute)),
        ]
    }

    /// The ways to sign in that the list can be limited to.
    private func ways(_ chosen: String?, _ visit: ConsoleVisit) throws -> [[String: TemplateValue]] {
        let own = [SignInProvider.password, SignInProvider.phone, SignInProvider.passkey, SignInProvider.custom, SignInProvider.anonymous]
        let providers = try visit.project.configuredProviders.map(\.id)
        return (providers + own).map { id in
            ["wayID": .text(id), "wayName": visit.way(id), "isChosen": .flag(id.isExactly(chosen))]
        }
    }

    /// The address of the list with the same search, from a place on.
    private func link(_ visit: ConsoleVisit, place: String?) throws -> String {
        var fields = visit.query.fields.filter { ["q", "disabled", "way", "since", "before"].contains($0.name) && !$0.value.isEmpty }
        if let place { fields.append((name: "place", value: UTF8Text(place))) }
        return try visit.projectLink("/users", Form(fields))
    }
}

extension UserSearch.Fault {
    /// The end of the word for it.
    fileprivate var word: String {
        switch self {
        case .tooLong: "TooLong"
        case .unreadable: "Unreadable"
        case .tooShort: "TooShort"
        }
    }
}
