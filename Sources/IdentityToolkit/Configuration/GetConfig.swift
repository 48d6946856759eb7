import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `GET /v2/projects/{project}/config`: what the project's file says, in the API's words, without anything secret.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/Config>
struct GetConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/config")

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> ProjectConfig {
        ProjectConfig(of: try context.project)
    }
}

/// The resource of the API.
struct ProjectConfig: Codable, Sendable {
    var name: String
    var signIn: SignIn
    var notification: Notification
    var client: Client
    var mfa: MFA
    var multiTenant: MultiTenant
    var authorizedDomains: [String]
    var emailPrivacyConfig: EmailPrivacy
    var passwordPolicyConfig: Policy
    /// `nil` without hooks.
    var blockingFunctions: BlockingFunctions?
    var recaptchaConfig: Recaptcha
    var smsRegionConfig: SMSRegions
    var subtype = "IDENTITY_PLATFORM"

    struct SignIn: Codable { var email: Email, phoneNumber: PhoneNumber, anonymous: Switch, allowDuplicateEmails: Bool }
    struct Switch: Codable { var enabled: Bool }
    struct PhoneNumber: Codable { var enabled: Bool, testPhoneNumbers: [String: String]? }
    /// `passwordRequired: false` allows links in mails.
    struct Email: Codable { var enabled: Bool, passwordRequired: Bool }
    struct Notification: Codable { var sendEmail: SendEmail, defaultLocale: String }
    struct Client: Codable { var permissions: Permissions }
    struct Permissions: Codable { var disabledUserSignup: Bool, disabledUserDeletion: Bool }
    struct MFA: Codable { var state: String, enabledProviders: [String]?, providerConfigs: [FactorConfig]? }
    struct FactorConfig: Codable { var state: String, totpProviderConfig: TOTPConfig }
    struct TOTPConfig: Codable { var adjacentIntervals: Int }
    struct MultiTenant: Codable { var allowTenants: Bool }
    struct EmailPrivacy: Codable { var enableImprovedEmailPrivacy: Bool }

    struct Policy: Codable {
        var passwordPolicyEnforcementState: String
        var forceUpgradeOnSignin: Bool
        var passwordPolicyVersions: [Version]
    }
    struct Version: Codable { var customStrengthOptions: GetPasswordPolicy.Options, schemaVersion: Int }

    init(of project: Project) {
        let settings = project.settings
        let methods = settings.signIn
        name = "projects/\(settings.id)/config"
        signIn = SignIn(
            email: Email(enabled: methods.password || methods.emailLink, passwordRequired: !methods.emailLink),
            phoneNumber: PhoneNumber(enabled: settings.phone.enabled, testPhoneNumbers: settings.phone.shownTestNumbers),
            anonymous: Switch(enabled: methods.anonymous),
            allowDuplicateEmails: !methods.oneAccountPerEmail)
        notification = Notification(sendEmail: SendEmail(of: project), defaultLocale: settings.branding.language)
        client = Client(methods)
        mfa = MFA(settings.multiFactor)
        multiTenant = MultiTenant(allowTenants: project.tenants != nil)
        authorizedDomains = settings.authorizedDomains
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: settings.emailEnumerationProtection)
        blockingFunctions = BlockingFunctions(of: settings)
        passwordPolicyConfig = Policy(settings.passwordPolicy)
        recaptchaConfig = Recaptcha(settings)
        smsRegionConfig = SMSRegions(settings.phone)
    }
}

// The parts that a tenant has as well.
extension ProjectConfig.Client {
    init(_ methods: ProjectSettings.SignInMethods) {
        permissions = ProjectConfig.Permissions(disabledUserSignup: !methods.signUp, disabledUserDeletion: !methods.deletion)
    }
}

extension ProjectConfig.MFA {
    init(_ factors: ProjectSettings.MultiFactor) {
        state = factors.state.rawValue.uppercased()
        enabledProviders = factors.offersSMS ? ["PHONE_SMS"] : nil
        let config = ProjectConfig.TOTPConfig(adjacentIntervals: factors.adjacentIntervals)
        providerConfigs = factors.offersTOTP ? [ProjectConfig.FactorConfig(state: "ENABLED", totpProviderConfig: config)] : nil
    }
}

extension ProjectConfig.Policy {
    init(_ policy: PasswordPolicy) {
        let output = GetPasswordPolicy.Output(policy)
        passwordPolicyEnforcementState = output.enforcementState
        forceUpgradeOnSignin = output.forceUpgradeOnSignin ?? false
        passwordPolicyVersions = [.init(customStrengthOptions: output.customStrengthOptions, schemaVersion: output.schemaVersion)]
    }
}
