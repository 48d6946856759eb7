import Accounts
import HTTP
import Projects
import Text
import Web

/// The answer with the keys that verify our ID tokens, in each form and at each address where verifiers look for them.
///
/// The bytes were made when the keys were loaded. Caches may keep them for an hour, which is less than the overlap of a key rotation.
private func keySet(_ bytes: [UInt8]) -> Response { Response(headers: keySetHeaders, body: bytes) }

/// Made once, since back ends fetch the keys more often than anything else.
private let keySetHeaders: Headers = [
    "content-type": "application/json; charset=utf-8", "cache-control": "public, max-age=3600", "access-control-allow-origin": "*",
]

/// The JWK set of a project, at the address that its discovery document names.
struct ProjectKeySet: ImmediateEndpoint {
    static let route = Route(.get, "/{project}/oauth2/jwks", access: .anyone)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard context.namedProject != nil else { throw Failure.notFound }
        return keySet(context.services.accounts.idTokens.publishedKeys.jwks)
    }
}

/// OpenID Connect discovery for back ends that verify by issuer. <https://openid.net/specs/openid-connect-discovery-1_0.html>
struct Discovery: ImmediateEndpoint {
    static let route = Route(.get, "/{project}/.well-known/openid-configuration", access: .anyone)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard let project = context.namedProject else { throw Failure.notFound }
        return keySet(project.discovery)
    }
}

/// The JWK set, at the path where Google publishes its own.
struct SecureTokenKeySet: ImmediateEndpoint {
    static let route = Route(
        .get, "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        keySet(context.services.accounts.idTokens.publishedKeys.jwks)
    }
}

/// The PEM certificates by key id, at the path where the Firebase Admin SDKs fetch them.
struct SecureTokenCertificates: ImmediateEndpoint {
    static let route = Route(
        .get, "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        keySet(context.services.accounts.idTokens.publishedKeys.certificates)
    }
}
