import Captcha
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `v1/recaptchaParams`: the site key of the project's captcha service, which the JS SDK hands to the widget that the app's page shows. The SDK
/// stops without one, so a project without a service answers the word `none`.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/TopLevel/getRecaptchaParams>
struct RecaptchaParams: Endpoint {
    static let route = Route.client(.get, "/v1/recaptchaParams", v3: "getRecaptchaParam")

    struct Input: Decodable {}

    /// Without `producerProjectNumber`, by which the SDK for Android would ask Play Integrity for a proof that only Google can check.
    struct Output: Codable {
        var kind = "identitytoolkit#GetRecaptchaParamResponse"
        var recaptchaSiteKey: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        Output(recaptchaSiteKey: try context.project.settings.phone.captcha.service?.widget.siteKey ?? "none")
    }
}
