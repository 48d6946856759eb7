import Accounts
import HTTP
import JSON
import Text
import Web

/// The JWK set by which back ends verify session cookies, at the path where Google publishes its own.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/TopLevel/getSessionCookiePublicKeys>
struct SessionCookieKeySet: ImmediateEndpoint {
    static let route = Route(.get, "/v1/sessionCookiePublicKeys", access: .anyone, host: .identityToolkit)
    static let content = CallContent.publicDocument(.object([.init("keys", .list(.map(.anything)), isRequired: true)]))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        let keys = context.services.accounts.administration.sessionCookies.publishedKeys
        return Response(publicDocument: keys.jwks, tag: keys.jwksTag, for: request)
    }
}

/// The PEM certificates by key id, at the path where the Firebase Admin SDKs fetch them.
struct SessionCookieCertificates: ImmediateEndpoint {
    static let route = Route(.get, "/identitytoolkit/v3/relyingparty/publicKeys", access: .anyone, host: .www)
    static let content = CallContent.publicDocument(.map(.text))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(publicDocument: context.services.accounts.administration.sessionCookies.publishedKeys.certificates, for: request)
    }
}
