import Accounts
import Captcha
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `v2/recaptchaConfig`: whether SDKs get tokens from reCAPTCHA Enterprise by themselves. They ask before passwords and phone numbers. Passwords
/// never need one, and phone numbers where the project names this service.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/TopLevel/getRecaptchaConfig>
struct RecaptchaConfig: Endpoint {
    static let route = Route.client(.get, "/v2/recaptchaConfig")
    static let query = JSONShape.texts(optional: ["clientType", "version"])

    struct Input: Decodable {}

    struct Output: Codable {
        /// A name of four parts, which SDKs require even where nothing is enforced.
        var recaptchaKey: String
        var recaptchaEnforcementState: [State]

        struct State: Codable {
            var provider: String
            var enforcementState: String
        }
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let query = try Form.reading(context.request.query)
        guard let client = query["clientType"], !client.isEmpty else { throw Failure.missingClientType }
        guard let version = query["version"], !version.isEmpty else { throw Failure.missingRecaptchaVersion }
        guard version == "RECAPTCHA_ENTERPRISE" else { throw Failure.invalidRecaptchaVersion }
        let settings = try context.project.settings
        let siteKey = settings.phone.captcha.siteKeyOfSDK
        return Output(
            recaptchaKey: "projects/\(settings.id)/keys/\(siteKey ?? "off")",
            recaptchaEnforcementState: [
                .init(provider: "EMAIL_PASSWORD_PROVIDER", enforcementState: "OFF"),
                .init(provider: "PHONE_PROVIDER", enforcementState: siteKey == nil ? "OFF" : "ENFORCE"),
            ])
    }
}
