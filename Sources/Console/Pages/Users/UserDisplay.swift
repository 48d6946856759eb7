import Accounts
import Crypto
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

// The way in which the console's pages name and show people.

extension ConsoleVisit {
    /// The id of the account that the path names as `{user}`. It stands there in base64url, since an id may have characters that a path may not.
    var userID: String {
        get throws(Failure) {
            guard let bytes = Base64URL.decodeStrict(parameter("user").asString), let id = UTF8Text(validating: bytes),
                AccountID.isPossible(id)
            else { throw .notFound }
            return id.asString
        }
    }

    /// The address of a page about an account.
    ///
    /// - Parameter rest: below the account's own page, such as `/delete`.
    func userLink(_ id: String, _ rest: String = "") throws(Failure) -> String {
        try projectLink("/users/\(Base64URL.encode(Array(id.utf8)))\(rest)")
    }

    /// The account that the path names.
    func user() async throws -> Account {
        guard let account = try await accounts.directory.account(try userID, in: try project.settings) else { throw Failure.notFound }
        return account
    }

    /// A text that may have addresses and numbers in it, such as a name or claims: viewers do not see these.
    func shown(_ text: String?) -> String {
        guard let text else { return "" }
        if may(.support) { return Self.inert(text) }
        // JSON may have the character written by its code.
        let numbers = text.replacing("\\u0040", with: "@").replacing(#/\+[0-9][0-9 ()\/.\-]{5,}[0-9]/#) { masked(String($0.output)) }
        return Self.inert(numbers.replacing(#/[^\s"'<>(),;:=\[\]{}]+@[^\s"'<>(),;:=\[\]{}]+/#) { masked(String($0.output)) })
    }

    /// The name of an account on a page: its address, or what else is known of it.
    func name(of account: Account) -> String {
        if let email = account.email { return masked(email) }
        if let name = account.displayName { return shown(name) }
        return account.phoneNumber.map { masked($0) } ?? shown(account.id)
    }

    /// The pages above a page about an account.
    func path(to account: Account? = nil) throws(Failure) -> [ConsoleView.Crumb] {
        var path = [ConsoleView.Crumb(name: .word("placeUsers"), link: try projectLink("/users"))]
        if let account { path.append(ConsoleView.Crumb(name: .text(name(of: account)), link: try userLink(account.id))) }
        return path
    }

    /// The name of a way to sign in: that of the project's provider, or a word.
    func way(_ id: String) -> TemplateValue {
        if Self.ownWays.contains(id) { return .word("way" + id.capitalizedFirst) }
        return .text(realm?.name(ofProvider: id).map { "\($0) (\(id))" } ?? Self.inert(id))
    }

    /// The ways to sign in that have words.
    static let ownWays: Set<String> = [
        SignInProvider.password, SignInProvider.phone, SignInProvider.passkey, SignInProvider.custom, SignInProvider.anonymous, "emailLink",
    ]
}
