import Accounts
import HTTP
import Text
import Web

/// The keys that verify our ID tokens, in each form and place that verifiers look for them.
///
/// All are answered from bytes made when the keys were loaded; caches may keep them for an hour, less than rotation's overlap.
private func keySet(_ bytes: [UInt8]) -> Response { Response(headers: keySetHeaders, body: bytes) }

/// Made once: back ends fetch the keys more often than anything else.
private let keySetHeaders: Headers = [
    "content-type": "application/json; charset=utf-8", "cache-control": "public, max-age=3600", "access-control-allow-origin": "*",
]

/// The JWK set of a project, by the address that its discovery document names.
struct ProjectKeySet: ImmediateEndpoint {
    static let route = Route(.get, "/{project}/oauth2/jwks", access: .anyone)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard context.namedProject != nil else { throw Failure.notFound }
        return keySet(context.services.accounts.publishedKeys.jwks)
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

/// The JWK set where Google publishes its own.
struct SecureTokenKeySet: ImmediateEndpoint {
    static let route = Route(
        .get, "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        keySet(context.services.accounts.publishedKeys.jwks)
    }
}

/// Key id to PEM certificate, where the Firebase Admin SDKs fetch it.
struct SecureTokenCertificates: ImmediateEndpoint {
    static let route = Route(
        .get, "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        keySet(context.services.accounts.publishedKeys.certificates)
    }
}
