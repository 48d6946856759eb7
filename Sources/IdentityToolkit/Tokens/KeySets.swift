import Accounts
import HTTP
import JSON
import Projects
import Text
import Web

/// The JWK set of a project, at the address that its discovery document names.
struct ProjectKeySet: ImmediateEndpoint {
    static let route = Route(.get, "/{project}/oauth2/jwks", access: .anyone)
    static let content = CallContent.publicDocument(.object([.init("keys", .list(.map(.anything)), isRequired: true)]))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard context.namedRealm != nil else { throw Failure.notFound }
        let keys = context.services.accounts.idTokens.publishedKeys
        return Response(publicDocument: keys.jwks, tag: keys.jwksTag, for: request)
    }
}

/// OpenID Connect discovery, for relying parties and for back ends that verify by issuer.
/// <https://openid.net/specs/openid-connect-discovery-1_0.html>
struct Discovery: ImmediateEndpoint {
    static let route = Route(.get, "/{project}/.well-known/openid-configuration", access: .anyone)
    static let content = CallContent.publicDocument(.map(.anything))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard let project = context.namedRealm else { throw Failure.notFound }
        return Response(publicDocument: project.discovery, for: request)
    }
}

/// The JWK set, at the path where Google publishes its own.
struct SecureTokenKeySet: ImmediateEndpoint {
    static let route = Route(
        .get, "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)
    static let content = CallContent.publicDocument(.object([.init("keys", .list(.map(.anything)), isRequired: true)]))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        let keys = context.services.accounts.idTokens.publishedKeys
        return Response(publicDocument: keys.jwks, tag: keys.jwksTag, for: request)
    }
}

/// The PEM certificates by key id, at the path where the Firebase Admin SDKs fetch them.
struct SecureTokenCertificates: ImmediateEndpoint {
    static let route = Route(
        .get, "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", access: .anyone, host: .www)
    static let content = CallContent.publicDocument(.map(.text))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(publicDocument: context.services.accounts.idTokens.publishedKeys.certificates, for: request)
    }
}
