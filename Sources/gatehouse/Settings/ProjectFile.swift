import Accounts
import Config
import HTTP
import JOSE
import Providers
import Runtime
import Text
import Web

/// One project's file: `config/projects/<project>.yaml`.
enum ProjectFile {
    static func read(_ section: Section, development: Bool, publicURL: String) -> Project {
        let id = section.value("project", expected: "lower-case letters, digits and hyphens, 4 to 30 of them") {
            ProjectSettings.isID($0) ? $0 : nil
        }
        if id == nil, !section.has("project") {
            section.fault("project", "is missing; the project's id, as your app's SDK configuration names it")
        }
        var settings = ProjectSettings(
            id: id ?? "", number: Int64(section.int("number", default: 0, in: 1...Int(Int64.max))), apiKeys: section.strings("apiKeys"),
            authorizedDomains: section.values(
                "authorizedDomains", expected: "a host name in lower case, without scheme or port; in quotes where it begins with *",
                Self.domain),
            redirectURLs: section.values(
                "redirectURLs",
                expected:
                    "an https URL (http for loopback addresses in development) as browsers write it: lower-case host, a path, no default "
                    + "port, no fragment; and without flow, code, state or iss in its query"
            ) { Self.redirectURL($0, development: development) })
        if !section.has("number") {
            section.fault("number", "is missing; the project number of your SDK configuration (messagingSenderId)")
        }
        if section.isEmpty("apiKeys") { section.fault("apiKeys", "is empty, so no app can call; add the apiKey of your SDK configuration") }
        if settings.apiKeys.contains("") { section.fault("apiKeys", "has an empty key, which would open the project to calls without one") }
        if section.isEmpty("authorizedDomains") {
            section.fault("authorizedDomains", "is empty, so no redirect can succeed; add your app's host")
        }
        for domain in settings.authorizedDomains {
            if let reason = AuthorizedDomain.fault(of: domain, development: development) {
                section.fault("authorizedDomains", "\(domain) \(reason)")
            } else if let note = AuthorizedDomain.note(on: domain) {
                section.note("authorizedDomains", "\(domain) \(note)")
            }
        }
        settings.apps = NativeApp.read(section.list("apps"))
        settings.redirect = ProjectSettings.Redirect(section.section("redirect"), development: development)
        checkReturn(settings, section, publicURL)
        settings.tokens = ProjectSettings.Tokens(section.section("tokens"))
        let signIn = section.section("signIn")
        settings.oneAccountPerEmail = signIn.bool("oneAccountPerEmail", default: true)
        settings.signIn = ProjectSettings.SignInMethods(signIn)
        settings.emailEnumerationProtection = section.bool("emailEnumerationProtection", default: true)
        let sessions = section.section("sessions")
        settings.refresh = sessions.choice("refresh", default: settings.refresh)
        // Not shorter than an ID token can live: apps refresh when theirs expires.
        let idle = sessions.value("idle", expected: "0 (sessions last until they are ended), or 1d to 3650d") { text in
            text == "0" ? .zero : Duration(text: text).flatMap { (.seconds(86400)...(.seconds(3650 * 86400))).contains($0) ? $0 : nil }
        }
        settings.sessionIdle = idle == .zero ? nil : idle
        sessions.finish()
        let customTokens = section.section("customTokens")
        settings.customTokens.singleUse = customTokens.bool("singleUse", default: false)
        customTokens.finish()
        settings.passwordPolicy = PasswordPolicy(section.section("passwordPolicy"))
        settings.limits = Limits(section.section("limits"), development: development)
        let providers = section.sections("providers").compactMap { id, entry in
            ProviderSettings(id: id, section: entry, allowInsecure: development)
        }
        settings.branding = Branding(section.section("branding"), name: settings.id)
        let (mailing, templates) = ProjectMail.read(section.section("mail"), branding: settings.branding, development: development)
        settings.mail = mailing
        section.finish()
        let project = Project(settings: settings, providers: providers.filter(\.enabled), publicURL: publicURL, templates: templates)
        checkRedirectURLs(of: project, section)
        return project
    }

    private static func checkRedirectURLs(of project: Project, _ section: Section) {
        for url in project.settings.redirectURLs {
            if url.utf8.contains(UInt8(ascii: "*")) {
                section.fault("redirectURLs", "\(url) has a *, which stands for itself here, so no page can match; write out each address")
            } else if let host = URI.parse(url)?.host, !project.authorizes(host: host) {
                section.note("redirectURLs", "\(url) is on \(host), which is not among authorizedDomains; add the host if it is the app's")
            }
        }
    }

    /// Native SDKs use the operator's own host for redirects only when exactly this host is among the authorized domains.
    private static func checkReturn(_ settings: ProjectSettings, _ section: Section, _ publicURL: String) {
        guard !settings.apps.isEmpty, let host = URI.parse(settings.redirect.publicURL ?? publicURL)?.host,
            !settings.authorizedDomains.isEmpty, !settings.authorizedDomains.contains(host)
        else { return }
        section.fault(
            "authorizedDomains", "lacks \(host), the host of this server's pages, without which native apps refuse to be redirected")
    }

    /// A host, `*.host`, or an IP address; lower case.
    private static func domain(_ text: String) -> String? {
        let host = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        guard let uri = URI.parse("https://\(host)"), uri.path.isEmpty || uri.path == "/", uri.query == nil, uri.fragment == nil,
            uri.port == 443, uri.host == host
        else { return nil }
        return text
    }

    /// Pages compare these, character by character, with the address that the browser reports, so only the browser's own spelling can ever
    /// match.
    private static func redirectURL(_ text: String, development: Bool) -> String? {
        guard let uri = URI.parse(text), uri.fragment == nil, uri.path.hasPrefix("/"), uri.description == text,
            !uri.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }), uri.query.map({ !$0.isEmpty }) ?? true,
            let query = Form(uri.query ?? ""), ["flow", "code", "state", "iss"].allSatisfy({ query[$0] == nil })
        else { return nil }
        return uri.isSecure || development && uri.isLoopback ? text : nil
    }
}

extension PasswordPolicy {
    init(_ section: Section) {
        self.init()
        enforcement = section.choice("enforcement", default: enforcement)
        minLength = section.int("minLength", default: minLength, in: Self.shortest...30)
        maxLength = section.int("maxLength", default: maxLength, in: minLength...Self.longest)
        requiresLowercase = section.bool("lowercase", default: false)
        requiresUppercase = section.bool("uppercase", default: false)
        requiresNumeric = section.bool("numeric", default: false)
        requiresNonAlphanumeric = section.bool("nonAlphanumeric", default: false)
        forceUpgradeOnSignIn = section.bool("forceUpgradeOnSignIn", default: false)
        section.finish()
    }
}

extension ProjectSettings.SignInMethods {
    init(_ section: Section) {
        self.init()
        password = section.bool("password", default: password)
        emailLink = section.bool("emailLink", default: emailLink)
        anonymous = section.bool("anonymous", default: anonymous)
        signUp = section.bool("signUp", default: signUp)
        deletion = section.bool("deletion", default: deletion)
        recentLogin = section.duration("recentLogin", default: recentLogin, in: .seconds(30)...(.seconds(86400)))
        section.finish()
    }
}

extension ProjectSettings.Tokens {
    init(_ section: Section) {
        self.init()
        issuer = section.choice("issuer", default: issuer)
        lifetime = section.duration("lifetime", default: lifetime, in: .seconds(300)...(.seconds(86400)))
        algorithm = section.choice("algorithm", default: SigningAlgorithm.RS256) == .RS256 ? .rs256 : .es256
        section.finish()
    }

    /// The algorithms that we sign with; JOSE verifies more.
    private enum SigningAlgorithm: String, CaseIterable { case RS256, ES256 }
}
