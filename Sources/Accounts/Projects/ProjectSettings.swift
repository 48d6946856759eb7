import Config
package import JOSE
package import Mail
import Text

/// The settings of one project, from its file in `config/projects/`. Its providers have settings in `Providers`.
package struct ProjectSettings: Sendable {
    /// `aud` of its ID tokens: lower-case letters, digits and hyphens.
    package var id: String
    /// Firebase calls it the project number.
    package var number: Int64
    package var apiKeys: [String]
    /// Hosts whose pages may start and receive sign-ins: exact, or `*.example.com` when written like this.
    package var authorizedDomains: [String]
    /// Addresses to which a plain browser app may be sent back; compared byte by byte.
    package var redirectURLs: [String]
    /// Native apps that may start sign-ins and get their results.
    package var apps: [NativeApp] = []
    package var redirect = Redirect()
    package var tokens = Tokens()
    package var oneAccountPerEmail = true
    package var branding: Branding
    package var mail = Mailing()
    package var passwordPolicy = PasswordPolicy()
    package var signIn = SignInMethods()
    /// When true, no call that is given an address shows whether it has an account; except `signUp`, as with Firebase.
    package var emailEnumerationProtection = true
    package var refresh = Refresh.rotating
    /// How long a session lasts that is not refreshed; `nil` means for ever, as with Firebase.
    package var sessionIdle: Duration?
    package var limits = Limits()
    package var customTokens = CustomTokens()

    package init(id: String, number: Int64, apiKeys: [String], authorizedDomains: [String], redirectURLs: [String]) {
        self.id = id
        self.number = number
        self.apiKeys = apiKeys
        self.authorizedDomains = authorizedDomains
        self.redirectURLs = redirectURLs
        branding = Branding(name: id)
    }

    /// The project's own settings for mails, in place of the server's.
    package struct Mailing: Sendable {
        package var from: Mailbox?
        package var replyTo: Mailbox?
        /// The page behind the links in mails, without a query; `nil` for this server's own, `/__/auth/action`.
        package var actionURL: String?

        package init() {}
    }

    /// Whether the text can be a project's id: 4 to 30 lower-case letters, digits and hyphens, a letter first and no hyphen last.
    package static func isID(_ text: some StringProtocol) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let bytes = text.utf8
        return (4...30).contains(bytes.count) && bytes.first.map(isLetter) == true
            && bytes.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
            && !text.hasSuffix("-")
    }

    package struct Tokens: Sendable {
        /// The issuer that ID tokens name.
        package var issuer = Issuer.firebase
        package var lifetime: Duration = .seconds(3600)
        package var algorithm = Algorithm.rs256

        package init() {}
    }

    /// How people may sign in besides the providers, and what apps may do for them. Everything is off by default, except what Firebase
    /// gives every project.
    package struct SignInMethods: Sendable {
        package var password = false
        package var emailLink = false
        package var anonymous = false
        /// Whether apps may create accounts; administrators always may.
        package var signUp = true
        /// Whether people may delete their own accounts.
        package var deletion = true
        /// How recent a sign-in must be to change the password or the address, or to delete the account.
        package var recentLogin: Duration = .seconds(300)

        package init() {}
    }

    package struct CustomTokens: Sendable {
        /// Whether a custom token signs in only once; Firebase accepts it any number of times until it expires.
        package var singleUse = false

        package init() {}
    }

    package enum Refresh: String, Sendable, CaseIterable {
        /// Each refresh returns a new refresh token; a used one that comes back ends the session.
        case rotating
        /// The refresh token stays the same as long as the session lasts.
        case `static`
    }

    package enum Issuer: String, Sendable, CaseIterable {
        /// `https://securetoken.google.com/<project>`, which the Firebase Admin SDKs require.
        case firebase
        /// `<publicURL>/<project>`, which standard discovery needs.
        case gatehouse
    }
}
