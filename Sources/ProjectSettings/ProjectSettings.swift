package import Config
import HTTP
import Runtime

/// The settings of one project, from its file in `config/projects/`. Each subject has a file here, with its type, its defaults and its
/// reader.
///
/// Its providers are settings of `Providers`, its templates those of `Pages`; `Projects` puts the three together.
package struct ProjectSettings: Sendable {
    /// `aud` of its ID tokens, and its name in addresses and configuration: lower-case letters, digits and hyphens.
    package var id: String
    /// The tenant that the settings are of: a part of the project with accounts and rules of its own. `nil` for the project itself.
    package internal(set) var tenant: Tenant?
    /// The realm of its rows in the database (`project_id`), of values that are sealed for them, and of tokens of ours that lead back to them: the id
    /// of the project, or `project/tenant` for a tenant.
    ///
    /// Whatever names rows uses this, and whatever apps and people see uses `id`. The rows of service accounts are the whole project's: their
    /// addresses name its `id`.
    package var storageID: String
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
    package var branding: Branding
    package var mail = Mailing()
    package var passwordPolicy = PasswordPolicy()
    package var signIn = SignInMethods()
    /// When true, no call that is given an address shows whether it has an account; except `signUp`, as with Firebase.
    package var emailEnumerationProtection = true
    package var multiFactor = MultiFactor()
    package var sessions = Sessions()
    package var limits = Limits()
    package var customTokens = CustomTokens()
    package var phone = Phone()
    /// Whom events are told to.
    package var events: [EventEndpoint] = []
    /// Pages of the operator's that are asked before a sign-in ends or a message is sent.
    package var hooks: [HookEvent: BlockingHook] = [:]
    /// `nil` where people do not sign in with passkeys.
    package var passkeys: Passkeys?
    package var audit = Audit()
    package var anonymousAccounts = AnonymousAccounts()
    /// Whether administrators may make tenants by calls.
    package var dynamicTenants = false
    /// `nil` where the project is not an OpenID provider.
    package var openIDProvider: OpenIDProvider?
    /// `nil` where no people come from Firebase.
    package var firebaseMigration: FirebaseMigration?
    /// `nil` where apps do not use the data of a Firebase project.
    package var firestore: FirestoreAccess?

    package init(id: String, number: Int64, apiKeys: [String], authorizedDomains: [String], redirectURLs: [String]) {
        self.id = id
        storageID = id
        self.number = number
        self.apiKeys = apiKeys
        self.authorizedDomains = authorizedDomains
        self.redirectURLs = redirectURLs
        branding = Branding(name: id)
    }

    /// Whether a project may have this id: it has the form of one, and no address of this server begins with it.
    package static func isFree(_ id: String) -> Bool { isID(id) && !ReservedNames.contains(id) }

    /// Whether the text can be a project's id: 4 to 30 lower-case letters, digits and hyphens, a letter first and no hyphen last.
    package static func isID(_ text: some StringProtocol) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let bytes = text.utf8
        return (4...30).contains(bytes.count) && bytes.first.map(isLetter) == true
            && bytes.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
            && !text.hasSuffix("-")
    }
}

extension ProjectSettings {
    /// Reads a project's file, except what belongs to its providers and templates: the caller reads these, and finishes `section`.
    ///
    /// - Parameters:
    ///   - mail: its section `mail`, which the caller reads the templates from.
    ///   - development: whether the server is in development mode, where plain http of this machine is allowed.
    ///   - publicURL: the server's.
    package init(_ section: Section, mail mailSection: Section, development: Bool, publicURL: String) {
        let id = section.value("project", expected: "lower-case letters, digits and hyphens, 4 to 30 of them") {
            Self.isID($0) ? $0 : nil
        }
        section.require("project", "the project's id, as your app's SDK configuration names it")
        self.init(
            id: id ?? "", number: Int64(section.int("number", in: 1...Int(Int64.max)) ?? 0), apiKeys: section.strings("apiKeys"),
            authorizedDomains: AuthorizedDomain.read(section, development: development),
            redirectURLs: RedirectURL.read(section, development: development))
        if ReservedNames.contains(self.id) { section.fault("project", ReservedNames.reason) }
        section.require("number", "the project number of your SDK configuration (messagingSenderId)")
        section.requireEntry("apiKeys", "so no app can call; add the apiKey of your SDK configuration")
        if apiKeys.contains("") { section.fault("apiKeys", "has an empty key, which would open the project to calls without one") }
        apps = NativeApp.read(section.list("apps"))
        redirect = Redirect(section.section("redirect"), development: development)
        checkReturn(section, publicURL)
        tokens = Tokens(section.section("tokens"), development: development)
        section.hint("linking", "write signIn: {linking: …}")
        customTokens = CustomTokens(section.section("customTokens"))
        dynamicTenants = section.bool("dynamicTenants", default: dynamicTenants)
        hooks = BlockingHook.read(section.section("hooks"), development: development)
        let firestore = section.section("firestore")
        if section.has("firestore") { self.firestore = FirestoreAccess(firestore) }
        let migration = section.section("migration")
        let firebase = migration.section("firebase")
        if migration.has("firebase") { firebaseMigration = FirebaseMigration(firebase, now: Clock.system.now()) }
        migration.finish()
        readOwn(section, mail: mailSection, named: self.id, development: development, publicURL: publicURL)
        RedirectURL.check(self, section)
    }

    /// Native SDKs use the operator's own host for redirects only when exactly this host is among the authorized domains.
    private func checkReturn(_ section: Section, _ publicURL: String) {
        guard !apps.isEmpty, let host = URI.parse(redirect.publicURL ?? publicURL)?.host, !authorizedDomains.isEmpty,
            !authorizedDomains.contains(host)
        else { return }
        section.fault(
            "authorizedDomains", "lacks \(host), the host of this server's pages, without which native apps refuse to be redirected")
    }
}
