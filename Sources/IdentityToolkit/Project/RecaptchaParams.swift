import HTTP
import Text
import Web

/// `v1/recaptchaParams`: the keys of reCAPTCHA. This server does not use reCAPTCHA and answers with an error, rather than let an app show
/// a widget whose result is never checked.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/TopLevel/getRecaptchaParams>
struct RecaptchaParams: Endpoint {
    static let route = Route.client(.get, "/v1/recaptchaParams", v3: "getRecaptchaParam")

    struct Input: Decodable {}
    struct Output: Codable {}

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        throw Failure.recaptchaNotEnabled
    }
}
