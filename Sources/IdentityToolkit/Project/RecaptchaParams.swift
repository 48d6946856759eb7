import HTTP
import Text
import Web

/// `v1/recaptchaParams`: the keys of a reCAPTCHA that this server does not use; says so rather than hand out a widget that nobody checks.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/TopLevel/getRecaptchaParams>
struct RecaptchaParams: Endpoint {
    static let route = Route.client(.get, "/v1/recaptchaParams", v3: "getRecaptchaParam")

    struct Input: Decodable {}
    struct Output: Encodable {}

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        throw Failure("RECAPTCHA_NOT_ENABLED")
    }
}
