package import Config
import Text

/// A part of the settings that each realm has for itself: the project, and each of its tenants. The names are those of the file's keys.
package enum OwnSetting: String, Sendable, CaseIterable {
    case signIn, emailEnumerationProtection, mfa, sessions, phone, events, audit, anonymous, passkeys, passwordPolicy, limits, branding,
        mail,
        openIDProvider
}

extension ProjectSettings {
    /// Reads what each realm has for itself.
    ///
    /// - Parameters:
    ///   - mail: the section `mail`, whose templates the caller reads.
    ///   - name: the name of the realm for people, where the file has no other one.
    ///   - inherited: what a tenant takes from its project, so that its own file must not have it.
    mutating func readOwn(
        _ section: Section, mail mailSection: Section, named name: String, inheriting inherited: Set<OwnSetting> = [], development: Bool,
        publicURL: String
    ) {
        func isOwn(_ setting: OwnSetting) -> Bool { !inherited.contains(setting) }
        if isOwn(.signIn) { signIn = SignInMethods(section.section("signIn")) }
        if isOwn(.emailEnumerationProtection) {
            emailEnumerationProtection = section.bool("emailEnumerationProtection", default: emailEnumerationProtection)
        }
        if isOwn(.mfa) { multiFactor = MultiFactor(section.section("mfa")) }
        if isOwn(.sessions) { sessions = Sessions(section.section("sessions")) }
        if isOwn(.phone) { phone = Phone(section.section("phone"), development: development) }
        if isOwn(.mfa), multiFactor.offersSMS, !phone.sendsMessages, phone.testNumbers.isEmpty {
            section.note("mfa", "sms is on, but no message can be sent; write transport and regions of phone")
        }
        if isOwn(.events) { events = EventEndpoint.read(section.list("events"), of: section, development: development) }
        if isOwn(.audit) { audit = Audit(section.section("audit")) }
        if isOwn(.anonymous) { anonymousAccounts = AnonymousAccounts(section.section("anonymous")) }
        if isOwn(.passkeys) {
            let passkeySection = section.section("passkeys")
            if section.has("passkeys") {
                passkeys = Passkeys(passkeySection, of: self, development: development, publicURL: publicURL)
            }
        }
        if isOwn(.passwordPolicy) { passwordPolicy = PasswordPolicy(section.section("passwordPolicy")) }
        if isOwn(.limits) { limits = Limits(section.section("limits"), development: development) }
        if isOwn(.branding) { branding = Branding(section.section("branding"), name: name) }
        if isOwn(.openIDProvider) {
            let provider = section.section("openIDProvider")
            if section.has("openIDProvider") {
                openIDProvider = OpenIDProvider(provider, project: addressName, development: development)
            }
        }
        if isOwn(.mail) { mail = Mailing(mailSection, development: development) }
    }

    /// Takes a part from the settings of the tenant's project.
    private mutating func inherit(_ setting: OwnSetting, from project: ProjectSettings) {
        switch setting {
        case .signIn: signIn = project.signIn
        case .emailEnumerationProtection: emailEnumerationProtection = project.emailEnumerationProtection
        case .mfa: multiFactor = project.multiFactor
        case .sessions: sessions = project.sessions
        case .phone: phone = project.phone
        case .events: events = project.events
        case .audit: audit = project.audit
        case .anonymous: anonymousAccounts = project.anonymousAccounts
        case .passkeys: passkeys = project.passkeys
        case .passwordPolicy: passwordPolicy = project.passwordPolicy
        case .limits: limits = project.limits
        case .branding:
            branding = project.branding
            // A project without a name of its own for people gives none to its tenants.
            if branding.name.isExactly(project.id), let tenant { branding.name = tenant.displayName }
        case .mail: mail = project.mail
        case .openIDProvider: openIDProvider = project.openIDProvider?.withoutDirectory()
        }
    }

    /// Reads a tenant's file, except what belongs to its providers and templates: the caller reads these, and finishes `section`.
    ///
    /// - Parameters:
    ///   - inherited: what the file takes from the project.
    ///   - mail: its section `mail`.
    package init(
        tenant id: String, _ section: Section, of project: ProjectSettings, inheriting inherited: Set<OwnSetting>, mail: Section,
        development: Bool, publicURL: String
    ) {
        var tenant = Tenant(id: id, displayName: section.string("displayName") ?? id)
        tenant.enabled = section.bool("enabled", default: true)
        self.init(tenant, of: project)
        for setting in inherited {
            inherit(setting, from: project)
            section.refuse(setting.rawValue, "is among inherit, too; write it here, or take it from the project")
        }
        readOwn(
            section, mail: mail, named: tenant.displayName, inheriting: inherited, development: development, publicURL: publicURL)
    }
}
