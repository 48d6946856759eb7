package import Accounts
package import Config
import HTTP
import Identity
package import Providers
import Text

/// `console` of `gatehouse.yaml`: where the console is, and who its operators are.
package struct ConsoleSettings: Sendable {
    /// Scheme, host and port at which operators' browsers reach the console, without a slash at the end.
    package let publicURL: String
    /// Where operators sign in; `nil` where only `gatehouse console open` lets them in.
    package let provider: ProviderSettings?
    /// Those of the file, each with the sign of who it is.
    package let operators: [Entry]
    /// Whether the server runs in development mode: plain http, cookies without `Secure`.
    package let development: Bool

    /// One of `operators`.
    package struct Entry: Sendable {
        package let person: Operator
        /// The provider's name for the person; where it is absent, the address finds the person once.
        package let subject: String?
        package let email: String?
    }

    /// - Parameters:
    ///   - section: `console`; the key `listen` has been read.
    ///   - apiURL: the server's own, at which the console must not be.
    package init(_ section: Section, apiURL: String, development: Bool) {
        self.development = development
        let url = section.value(
            "publicURL", expected: "the URL that operators' browsers reach the console by, such as https://console.example.com"
        ) { text in
            URI.parse(text).flatMap { ["", "/"].contains($0.path) && $0.query == nil && $0.fragment == nil ? $0.origin : nil }
        }
        section.require("publicURL", "the URL that operators' browsers reach the console by")
        publicURL = url ?? ""
        if let url, url.hasPrefix("http:"), !development {
            section.fault("publicURL", "must be https; plain http is only for development: true")
        }
        if let url, url == apiURL { section.fault("publicURL", "is that of the API; the console needs a host name of its own") }
        let entries = section.sections("provider").compactMap { id, entry in
            ProviderSettings(id: id, section: entry, allowInsecure: development)
        }
        provider = entries.first
        if entries.count > 1 { section.fault("provider", "has \(entries.count) entries; operators sign in at one") }
        if let provider, !provider.isOpenIDConnect || provider.answersByPost {
            section.fault(
                "provider", "\(provider.id) cannot be used here: it needs OpenID Connect, flow: code and answers by redirect")
        }
        if let name = provider?.parameterOfFreshSignIn {
            section.fault(
                "provider",
                "has \(name) among its parameters; remove it, since the console itself asks the provider to have operators prove themselves again"
            )
        }
        operators = section.list("operators").compactMap(Self.entry)
        for (index, entry) in operators.enumerated() {
            let others = operators[..<index]
            if others.contains(where: { $0.person.name == entry.person.name }) {
                section.fault("operators", "two have the name \(entry.person.name)")
            }
            if let subject = entry.subject, others.contains(where: { $0.subject == subject }) {
                section.fault("operators", "two have the subject \(subject)")
            }
            if let email = entry.email, others.contains(where: { $0.email == email }) {
                section.fault("operators", "two have the address \(email)")
            }
        }
        for entry in operators where entry.subject == nil {
            guard let email = entry.email, let provider, !provider.mayProve(email) else { continue }
            section.note(
                "operators",
                "\(email) can never be bound: \(provider.id) is not authoritative for its domain; add the domain to authoritativeDomains of the provider, "
                    + "or write the person's subject")
        }
        if provider == nil, !operators.isEmpty, !section.has("provider") {
            section.fault("provider", "is missing; the entry of the provider at which operators sign in")
        }
        section.finish()
    }

    /// Notes each project of an operator that does not exist.
    ///
    /// - Parameters:
    ///   - existing: the ids of all projects.
    ///   - section: `console`.
    package func noteMissingProjects(among existing: Set<String>, in section: Section) {
        for entry in operators {
            for name in (entry.person.projects ?? []).subtracting(existing).sorted() {
                section.note("operators", "\(entry.person.name) may see the project \(name), but no project file has this id")
            }
        }
    }

    /// Those of development mode, where no operator signs in.
    init(inDevelopmentAt publicURL: String) {
        self.publicURL = publicURL
        provider = nil
        operators = []
        development = true
    }

    private static func entry(_ section: Section) -> Entry? {
        let subject = section.string("subject")
        let email = section.value("email", expected: "an e-mail address", EmailAddress.canonical)
        let given = section.string("name")
        let role: Operator.Role? = section.choice("role")
        section.require("role", "viewer, support or admin")
        let projects = section.strings("projects")
        if section.has("projects"), section.isEmpty("projects") {
            section.fault("projects", "names no project; leave the key out for an operator of all projects")
        }
        section.finish()
        if !section.has("subject"), !section.has("email") {
            section.fault("subject", "is missing; say who the operator is, by subject or by email")
        }
        guard let name = [given, email].compactMap(\.self).first, !name.isEmpty else {
            section.fault("name", "is missing; the name that audit events have")
            return nil
        }
        if name == Operator.breakGlass.name { section.fault("name", "is the name of sessions without the provider; choose another one") }
        guard let role else { return nil }
        return Entry(
            person: Operator(name: name, role: role, projects: section.isEmpty("projects") ? nil : Set(projects)), subject: subject,
            email: email)
    }

    /// The console as browsers know it that make passkeys for it; `nil` where its address has no host name, for which they could.
    package var passkeySite: OperatorPasskeys.Site? {
        guard let uri = URI.parse(publicURL), uri.address == nil else { return nil }
        return OperatorPasskeys.Site(rpID: uri.host, origin: uri.origin)
    }

    /// The operator that a person at a provider is: by the subject of an entry, or by the address that the person is bound to. `nil` where the file does
    /// not have them any more.
    ///
    /// A subject says who a person is together with its issuer alone: once the file has another issuer, the former one's people are not operators.
    package func person(_ person: OperatorPerson, boundTo email: String?) -> Operator? {
        guard let provider, provider.storedIssuer.isExactly(person.issuer) else { return nil }
        if let entry = operators.first(where: { $0.subject == person.subject }) { return entry.person }
        return email.flatMap(entry(of:))?.person
    }

    /// The operator of a session; `nil` where the file does not have them any more, or says another person.
    package func person(of session: OperatorSession) -> Operator? {
        guard let person = session.person else { return .breakGlass }
        return self.person(person, boundTo: session.email).flatMap { $0.name == session.operatorName ? $0 : nil }
    }

    /// The entry that says who its operator is by this address.
    func entry(of email: String) -> Entry? { operators.first { $0.subject == nil && $0.email == email } }
}
