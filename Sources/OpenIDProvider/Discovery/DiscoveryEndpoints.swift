import Accounts
import HTTP
import JSON
import Web

/// The discovery document of a user flow, in the shape of Azure AD B2C. That of the project itself is `Discovery` in IdentityToolkit, since back ends
/// read the same address. <https://openid.net/specs/openid-connect-discovery-1_0.html>
struct FlowMetadata: ImmediateEndpoint {
    static let route = IssuerRoutes.flow(
        .get, "v2.0/.well-known/openid-configuration", aliases: ["/{project}/{policy}/.well-known/openid-configuration"])
    static let content = CallContent.publicDocument(.map(.anything))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(publicDocument: try context.issuer(request).document, for: request)
    }
}

/// The same documents at the addresses of RFC 8414. <https://www.rfc-editor.org/rfc/rfc8414#section-3.1>
struct AuthorizationServerMetadata: ImmediateEndpoint {
    static let route = Route(
        .get, "/.well-known/oauth-authorization-server/{project}",
        aliases: ["/.well-known/oauth-authorization-server/{project}/{policy}/v2.0"], access: .anyone)
    static let content = CallContent.publicDocument(.map(.anything))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(publicDocument: try context.issuer(request).document, for: request)
    }
}

/// The public keys, at the addresses of Azure AD B2C.
struct FlowKeySet: ImmediateEndpoint {
    static let route = IssuerRoutes.flow(.get, "discovery/v2.0/keys")
    static let content = CallContent.publicDocument(.object([.init("keys", .list(.map(.anything)), isRequired: true)]))

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        _ = try context.issuer(request)
        let keys = context.services.accounts.idTokens.publishedKeys
        return Response(publicDocument: keys.jwks, tag: keys.jwksTag, for: request)
    }
}
