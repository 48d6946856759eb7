import JSON
import Pages
package import ProjectSettings
import Text

/// The settings that calls have set of a tenant that is not made of a file. Everything that is `nil` is as in the project's template. This is the form in which
/// it is stored, so a name is never changed.
package struct TenantRecord: Codable, Sendable, Equatable {
    package var displayName: String?
    package var enabled: Bool?
    package var password: Bool?
    package var emailLink: Bool?
    package var anonymous: Bool?
    package var signUp: Bool?
    package var deletion: Bool?
    package var emailEnumerationProtection: Bool?
    package var secondFactors: SecondFactors?
    package var passwordPolicy: Policy?
    /// Numbers to which nothing is sent, with their codes.
    package var testNumbers: [String: String]?

    package struct SecondFactors: Codable, Sendable, Equatable {
        package var state: String
        package var sms: Bool
        package var authenticatorApps: Bool
        package var adjacentIntervals: Int

        package init(_ factors: ProjectSettings.MultiFactor) {
            state = factors.state.rawValue
            (sms, authenticatorApps, adjacentIntervals) = (factors.sms, factors.authenticatorApps, factors.adjacentIntervals)
        }
    }

    package struct Policy: Codable, Sendable, Equatable {
        package var enforcement: String
        package var minLength: Int
        package var maxLength: Int
        package var lowercase: Bool
        package var uppercase: Bool
        package var numeric: Bool
        package var nonAlphanumeric: Bool
        package var forceUpgradeOnSignIn: Bool

        package init(_ policy: PasswordPolicy) {
            enforcement = policy.enforcement.rawValue
            (minLength, maxLength) = (policy.minLength, policy.maxLength)
            (lowercase, uppercase) = (policy.requiresLowercase, policy.requiresUppercase)
            (numeric, nonAlphanumeric) = (policy.requiresNumeric, policy.requiresNonAlphanumeric)
            forceUpgradeOnSignIn = policy.forceUpgradeOnSignIn
        }
    }

    package init() {}

    /// `nil` for a text that this version cannot read.
    package init?(_ text: String) {
        guard let json = try? JSON.parse(Array(text.utf8)), let record = try? json.decode(TenantRecord.self, spelling: .wire) else {
            return nil
        }
        self = record
    }

    package var text: String {
        get throws { try JSON(encoding: self).text() }
    }
}

extension Project {
    /// The tenant of this id that calls have set so, over the project's template.
    package func tenant(_ id: String, _ record: TenantRecord) -> Project? {
        guard let template = tenants?.template else { return nil }
        var settings = template.settings
        settings.become(tenant: id, named: record.displayName ?? id)
        record.set(in: &settings)
        return Project(
            tenant: settings, providers: template.configuredProviders,
            templates: template.templates.named(settings.branding), of: self)
    }
}

extension TenantRecord {
    fileprivate func set(in settings: inout ProjectSettings) {
        if let enabled { settings.enable(tenant: enabled) }
        if let password { settings.signIn.password = password }
        if let emailLink { settings.signIn.emailLink = emailLink }
        if let anonymous { settings.signIn.anonymous = anonymous }
        if let signUp { settings.signIn.signUp = signUp }
        if let deletion { settings.signIn.deletion = deletion }
        if let emailEnumerationProtection { settings.emailEnumerationProtection = emailEnumerationProtection }
        if let testNumbers { settings.phone.testNumbers = testNumbers }
        secondFactors?.set(in: &settings.multiFactor)
        passwordPolicy?.set(in: &settings.passwordPolicy)
    }
}

extension TenantRecord.SecondFactors {
    fileprivate func set(in factors: inout ProjectSettings.MultiFactor) {
        factors.state = ProjectSettings.MultiFactor.State(exactly: UTF8Text(state)) ?? factors.state
        (factors.sms, factors.authenticatorApps) = (sms, authenticatorApps)
        factors.adjacentIntervals = min(max(adjacentIntervals, 0), ProjectSettings.MultiFactor.mostAdjacentIntervals)
    }
}

extension TenantRecord.Policy {
    fileprivate func set(in policy: inout PasswordPolicy) {
        policy.enforcement = PasswordPolicy.Enforcement(exactly: UTF8Text(enforcement)) ?? policy.enforcement
        (policy.minLength, policy.maxLength) = (minLength, maxLength)
        (policy.requiresLowercase, policy.requiresUppercase) = (lowercase, uppercase)
        (policy.requiresNumeric, policy.requiresNonAlphanumeric) = (numeric, nonAlphanumeric)
        policy.forceUpgradeOnSignIn = forceUpgradeOnSignIn
    }
}

extension Project {
    /// The template of a project whose tenants have nothing but what calls set.
    package convenience init(templateOfTenantsOf project: Project) {
        let settings = ProjectSettings(.init(id: "template", displayName: "template"), of: project.settings)
        self.init(tenant: settings, providers: [], templates: project.templates.named(settings.branding), of: project)
    }
}
