import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `v2/recaptchaConfig`: reCAPTCHA is off for everything; SDKs ask before passwords and phone numbers and then go on without it.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/TopLevel/getRecaptchaConfig>
struct RecaptchaConfig: Endpoint {
    static let route = Route.client(.get, "/v2/recaptchaConfig")
    static let query = JSONShape.texts(optional: ["clientType", "version"])

    struct Input: Decodable {}

    struct Output: Codable {
        /// A name of four parts, which SDKs require even where nothing is enforced.
        var recaptchaKey: String
        var recaptchaEnforcementState = [
            State(provider: "EMAIL_PASSWORD_PROVIDER"), State(provider: "PHONE_PROVIDER"),
        ]

        struct State: Codable {
            var provider: String
            var enforcementState = "OFF"
        }
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let query = try Form.reading(context.request.query)
        guard let client = query["clientType"], !client.isEmpty else { throw Failure.missingClientType }
        guard let version = query["version"], !version.isEmpty else { throw Failure.missingRecaptchaVersion }
        guard version == "RECAPTCHA_ENTERPRISE" else { throw Failure.invalidRecaptchaVersion }
        return Output(recaptchaKey: "projects/\(try context.project.settings.id)/keys/off")
    }
}
