import HTTP
import Web

/// `accounts:verifyIosClient`: refused. The SDK for iOS asks for a push message by which the app proves itself, and this server has no key of the
/// app to send one. After this error the SDK shows the page with the project's captcha.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/verifyIosClient>
struct VerifyIOSClient: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:verifyIosClient", v3: "verifyClient")

    struct Input: Decodable {}
    struct Output: Codable {}

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output { throw Failure.missingIOSAppToken }
}
