package import JOSE
package import JSON
import Text

/// A kind of token that issuers make, by the marks that tell it from others, with the readers that may take it.
///
/// Tests of readers make a token that is right in every other respect: signed by a key that the reader trusts, of its issuer, for its
/// audience, and in its time.
package struct TokenSample: Sendable, CustomStringConvertible {
    package let description: String
    /// Changes of the usual header, which has the type `JWT`; `null` removes a member.
    package let header: JSON.Object
    /// Additions to the claims.
    package let claims: JSON.Object
    package let readers: Set<TokenKind>

    /// A token of the kind with the right claims of a reader: `claims` with those of the sample.
    package func sign(_ claims: JSON, by key: FakeKey) throws -> String {
        try key.sign(.object((claims.object ?? [:]).merging(self.claims)), header: header)
    }

    private init(_ description: String, header: JSON.Object = [:], claims: JSON.Object = [:], _ readers: Set<TokenKind>) {
        self.description = description
        self.header = header
        self.claims = claims
        self.readers = readers
    }

    private static func typed(_ type: JSON, _ readers: Set<TokenKind> = []) -> TokenSample {
        TokenSample("typ \(type.text())", header: ["typ": type], readers)
    }

    /// A token that has the usual type and says its purpose in a claim, as this server's own tokens never do.
    private static func claiming(_ claims: JSON.Object, _ readers: Set<TokenKind> = []) -> TokenSample {
        TokenSample("claims \(JSON.object(claims).text())", claims: claims, readers.union([.ownIDToken]))
    }

    private static let untyped: Set<TokenKind> = [.idToken, .ownIDToken, .clientAssertion, .authorizationGrant, .customToken]

    package static let all: [TokenSample] =
        ["JWT", "jwt", "Jwt", "application/jwt", "Application/JWT"].map { typed($0, untyped) }
        + ["at+jwt", "application/at+jwt", "AT+JWT"].map { typed($0, [.accessToken]) }
        + [
            "logout+jwt", "secevent+jwt", "application/secevent+jwt", "dpop+jwt", "oauth-authz-req+jwt", "token-introspection+jwt",
            "kb+jwt", "JOSE", "JWT+x", "application/", "", 7, ["JWT"], true,
        ].map { typed($0) }
        + [
            TokenSample("without typ", header: ["typ": .null], untyped),
            typed("client-authentication+jwt", [.clientAssertion]), typed("authorization-grant+jwt", [.authorizationGrant]),
            // Keycloak's ID token, access token, refresh token and log-out token.
            claiming(["typ": "ID"], [.idToken]), claiming(["typ": "Bearer"]), claiming(["typ": "Refresh"]), claiming(["typ": "Logout"]),
            // Those of AWS Cognito.
            claiming(["token_use": "id"], [.idToken]), claiming(["token_use": "access"]),
            claiming(["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]]), claiming(["events": ""]),
            claiming(["typ": ["ID"]]), claiming(["typ": .null, "token_use": .null, "events": .null], untyped),
        ]
}
