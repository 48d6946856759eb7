import ProjectSettings
import Projects
import Web

/// A tenant as the API shows it, without anything secret.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants>
struct TenantResource: Codable, Sendable {
    var name: String
    var displayName: String
    var allowPasswordSignup: Bool
    var enableEmailLinkSignin: Bool
    var enableAnonymousUser: Bool
    var disableAuth: Bool
    var mfaConfig: ProjectConfig.MFA
    var testPhoneNumbers: [String: String]?
    var client: ProjectConfig.Client
    var emailPrivacyConfig: ProjectConfig.EmailPrivacy
    var passwordPolicyConfig: ProjectConfig.Policy
    var recaptchaConfig: ProjectConfig.Recaptcha
    var smsRegionConfig: ProjectConfig.SMSRegions

    init(_ tenant: Project) {
        let settings = tenant.settings
        name = tenant.resourceName
        displayName = settings.tenant?.displayName ?? ""
        allowPasswordSignup = settings.signIn.password
        enableEmailLinkSignin = settings.signIn.emailLink
        enableAnonymousUser = settings.signIn.anonymous
        disableAuth = settings.tenant?.enabled == false
        mfaConfig = ProjectConfig.MFA(settings.multiFactor)
        testPhoneNumbers = settings.phone.shownTestNumbers
        client = ProjectConfig.Client(settings.signIn)
        emailPrivacyConfig = ProjectConfig.EmailPrivacy(enableImprovedEmailPrivacy: settings.emailEnumerationProtection)
        passwordPolicyConfig = ProjectConfig.Policy(settings.passwordPolicy)
        recaptchaConfig = ProjectConfig.Recaptcha(settings)
        smsRegionConfig = ProjectConfig.SMSRegions(settings.phone)
    }
}

extension Project {
    /// The name by which the API knows the project or tenant: `projects/acme`, `projects/acme/tenants/customer-a`.
    var resourceName: String {
        "projects/\(settings.id)" + (settings.tenant.map { "/tenants/\($0.id)" } ?? "")
    }
}
