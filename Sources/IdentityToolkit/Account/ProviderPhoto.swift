import Accounts
import Brokerage
import HTTP
import JSON
import Projects
import Providers
import Text
import Web

/// `accounts:providerPhoto`: the person's photo, fetched with the access token that the app holds, for providers without a photo URL
/// (Microsoft keeps it as bytes behind Graph). This call is our own; Firebase does not have it.
struct ProviderPhoto: RawEndpoint {
    static let route = Route.client(.post, "/v1/accounts:providerPhoto")
    static let errorFormat = ErrorFormat.googleJSON
    static var content: CallContent {
        get throws {
            CallContent(
                body: .json(try JSONShape(of: Input.self).with(.texts(optional: ["tenantId"]))),
                answers: [.content("image/*", "The picture.")])
        }
    }

    private struct Input: Decodable {
        var idToken: UTF8Text?
        var providerId: UTF8Text?
        var oauthAccessToken: UTF8Text?
    }

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let body = try JSONBody.object(of: request)
        let input = try JSONBody.decode(Input.self, from: body)
        let context = try await context.inRealm(of: body)
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        guard let token = input.oauthAccessToken, !token.isEmpty else { throw Failure.invalidCredential("no oauthAccessToken.") }
        let providerID = try await context.linkedProvider(input.providerId, of: idToken)
        guard let photo = try await context.broker.photo(of: providerID, accessToken: token) else {
            throw Failure.noPhoto
        }
        return Response(
            headers: [
                "content-type": photo.type, "cache-control": "private, no-store", "x-content-type-options": "nosniff",
                "content-security-policy": "default-src 'none'; sandbox",
            ], body: photo.bytes)
    }
}
