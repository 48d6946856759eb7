package import Config
import HTTP

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
        signIn = SignInMethods(section.section("signIn"))
        section.hint("linking", "write signIn: {linking: …}")
        emailEnumerationProtection = section.bool("emailEnumerationProtection", default: emailEnumerationProtection)
        sessions = Sessions(section.section("sessions"))
        customTokens = CustomTokens(section.section("customTokens"))
        audit = Audit(section.section("audit"))
        let provider = section.section("openIDProvider")
        if section.has("openIDProvider") { openIDProvider = OpenIDProvider(provider, project: self.id, development: development) }
        passwordPolicy = PasswordPolicy(section.section("passwordPolicy"))
        limits = Limits(section.section("limits"), development: development)
        branding = Branding(section.section("branding"), name: self.id)
        mail = Mailing(mailSection, development: development)
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
