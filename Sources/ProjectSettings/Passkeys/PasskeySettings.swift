import Config
import HTTP

extension ProjectSettings {
    /// How people sign in with passkeys: `passkeys` of a project's file. Passkeys are off without it.
    package struct Passkeys: Sendable {
        /// The site that the passkeys are for: a host, below which all pages are that may use them. While the project has passkeys, it stays as
        /// it is, since they work for no other (`PasskeySites`).
        package var rpID: String
        /// The origins of pages and apps below the RP ID: those of the file, and those that follow from authorized domains, from the address of
        /// our own pages and from the apps.
        package var origins: [String] = []
        /// Origins of other sites that may use the passkeys, too. Browsers ask the RP ID's own host for this list.
        package var relatedOrigins: [String] = []
        /// The most passkeys that one account may have.
        package var limit = 20
        /// Whether a passkey by which the authenticator has verified the person counts as two factors.
        package var countAsSecondFactor = true
        /// Whether browsers may make a passkey without asking, for a person who has just signed in with a password.
        package var conditionalRegistration = false

        package init(rpID: String) { self.rpID = rpID }

        /// Every origin from which a ceremony may come.
        package var allOrigins: Set<String> { Set(origins + relatedOrigins) }

        /// Whether pages at this address may use the passkeys.
        package func takes(_ address: String) -> Bool { URI.parse(address).map { allOrigins.contains($0.origin) } ?? false }

        /// The statement about itself that a browser asks an authenticator for. We ask for none.
        enum Attestation: String, CaseIterable { case noStatement = "none" }
    }
}

extension ProjectSettings.Passkeys {
    /// - Parameters:
    ///   - settings: the project, of which authorized domains, apps and the address of the pages are read already.
    ///   - publicURL: the server's.
    init?(_ section: Section, of settings: ProjectSettings, development: Bool, publicURL: String) {
        section.require("rpId", "the host that the passkeys are for, such as example.com; it can't be changed once people have passkeys")
        let rpID = section.value(
            "rpId",
            expected: "a host in lower case with at least one dot, without scheme and port, and not an IP address"
                + (development ? "; or localhost" : "")
        ) { Self.isRPID($0, development: development) ? $0 : nil }
        self.init(rpID: rpID ?? "")
        if PublicSuffix.isKnown(self.rpID) {
            section.fault(
                "rpId", "\(self.rpID) is a domain below which other people get hosts, so no browser takes it; write your own domain")
        }
        origins = Self.origins(section, "origins")
        relatedOrigins = Self.origins(section, "relatedOrigins")
        limit = section.int("limit", default: limit, in: 1...100)
        countAsSecondFactor = section.bool("countAsSecondFactor", default: countAsSecondFactor)
        conditionalRegistration = section.bool("conditionalRegistration", default: conditionalRegistration)
        let _: Attestation = section.choice("attestation", default: .noStatement)
        section.finish()
        guard rpID != nil else { return nil }
        for origin in origins where !covers(origin) {
            section.fault(
                "origins", "\(origin) is not on \(self.rpID) or below it; write it into relatedOrigins, if browsers are to use it")
        }
        for origin in relatedOrigins where covers(origin) {
            section.note("relatedOrigins", "\(origin) is on the site itself; it belongs into origins")
        }
        if labels(of: relatedOrigins).count > Self.relatedSites {
            section.note(
                "relatedOrigins",
                "are of more than \(Self.relatedSites) sites, and browsers need not read further than the \(Self.relatedSites)th")
        }
        origins += Self.derived(from: settings, publicURL: publicURL, for: self).filter { !origins.contains($0) }
        if settings.openIDProvider != nil, let page = URI.parse(settings.redirect.publicURL ?? publicURL)?.origin,
            !(origins + relatedOrigins).contains(page)
        {
            section.note("rpId", "does not fit \(page), the pages of this server, so they offer no passkeys")
        }
        if origins.isEmpty, relatedOrigins.isEmpty {
            section.fault("", "has no origin; write origins: [https://…], the pages that use passkeys")
        }
    }

    /// The number of names before the public suffix that every browser reads from a list of related origins.
    /// <https://w3c.github.io/webauthn/#sctn-related-origins>
    private static let relatedSites = 5

    private func labels(of origins: [String]) -> Set<String> {
        Set(origins.compactMap { URI.parse($0).map { PublicSuffix.site(of: $0.host) } })
    }

    private static func isRPID(_ text: String, development: Bool) -> Bool {
        guard let uri = URI.parse("https://\(text)"), uri.host == text, uri.port == 443, uri.path.isEmpty || uri.path == "/",
            uri.address == nil
        else { return false }
        return text.contains(".") || text == "localhost" && development
    }

    /// Whether the page of this origin is on the site.
    func covers(_ origin: String) -> Bool {
        guard let host = URI.parse(origin)?.host else { return false }
        return host == rpID || host.hasSuffix("." + rpID)
    }

    /// Browsers compare origins byte by byte, so only their own spelling can match. Plain http works for `localhost` alone.
    private static func origins(_ section: Section, _ key: String) -> [String] {
        section.values(
            key,
            expected:
                "an origin as browsers write it, such as https://app.example.com: lower case, no path, no default port; http for localhost"
        ) { text in
            guard let uri = URI.parse(text), uri.origin == text, uri.isSecure || isLocalhost(uri.host) else { return nil }
            return text
        }
    }

    private static func isLocalhost(_ host: String) -> Bool { host == "localhost" || host.hasSuffix(".localhost") }

    /// The origins that follow from what else the project says.
    private static func derived(from settings: ProjectSettings, publicURL: String, for passkeys: Self) -> [String] {
        let domains = settings.authorizedDomains.filter { !$0.hasPrefix("*") }.map { "https://\($0)" }
        let pages = [publicURL, settings.redirect.publicURL].compactMap { $0.flatMap { URI.parse($0)?.origin } }
        var origins = (domains + pages).filter { origin in
            passkeys.covers(origin) && URI.parse(origin).map { $0.isSecure || isLocalhost($0.host) } ?? false
        }
        for app in settings.apps {
            switch app {
            case .ios(let app): if app.teamID != nil { origins.append("https://\(passkeys.rpID)") }
            case .android(let app): origins += app.sha256.map(NativeApp.Android.origin(ofSHA256:))
            }
        }
        return origins.reduce(into: []) { unique, origin in if !unique.contains(origin) { unique.append(origin) } }
    }
}
