import JSON
import Text

/// The purpose that a JWT was made for. The reader of a token says which kind it takes, so that no token serves another purpose than its own.
///
/// One issuer signs tokens of many purposes with the same keys: an API that a person calls gets an access token, and must not be able to
/// sign in as the person with it. A token is taken for one of a kind by these marks, as its issuers write them:
///
/// - `typ` of the header: a media type, in any case and with or without `application/`. Tokens of older standards have none, or `JWT`.
/// - `typ` of the claims: Keycloak's name of the purpose (`ID`, `Bearer`, `Refresh`, `Logout`).
/// - `token_use` of the claims: the name in AWS Cognito (`id`, `access`).
/// - `events` of the claims: they make a token a statement about what happened (RFC 8417), such as a log-out, and never about who signs in.
///
/// A token without any mark may still be of another kind. So readers also compare issuer and audience, as they must.
/// <https://www.rfc-editor.org/rfc/rfc8725#section-3.11>
package enum TokenKind: Sendable, CaseIterable {
    /// Another issuer's statement to a client about who signed in. <https://openid.net/specs/openid-connect-core-1_0.html#IDToken>
    case idToken
    /// The same by this server, which types all that it signs. Its claims may have any names, since administrators add some.
    case ownIDToken
    /// This server's permission to call an API. <https://www.rfc-editor.org/rfc/rfc9068>
    case accessToken
    /// A statement by which an OAuth client proves itself. <https://www.rfc-editor.org/rfc/rfc7523#section-2.2>
    case clientAssertion
    /// A statement by which a service account asks for an access token. <https://www.rfc-editor.org/rfc/rfc7523#section-2.1>
    case authorizationGrant
    /// A statement of a service account about who signs in, in Firebase's form.
    case customToken

    /// The types that the header may name, in lower case.
    private var types: Set<UTF8Text> {
        switch self {
        case .idToken, .ownIDToken, .customToken: ["jwt"]
        case .accessToken: ["at+jwt"]
        case .clientAssertion: ["jwt", "client-authentication+jwt"]
        case .authorizationGrant: ["jwt", "authorization-grant+jwt"]
        }
    }

    /// Whether a token of this kind may leave its type out.
    private var mayLackType: Bool { self != .accessToken }

    /// The claims that may say something about the purpose, with the value there; a token of this kind has no other value there.
    private var marks: [(claim: UTF8Text, value: JSON?)] {
        switch self {
        case .idToken: [("typ", "ID"), ("token_use", "id"), ("events", nil)]
        case .ownIDToken, .accessToken: []
        case .clientAssertion, .authorizationGrant, .customToken: [("typ", nil), ("token_use", nil), ("events", nil)]
        }
    }

    /// Throws `wrongKind` for a token with a mark of another kind.
    func check(header: JSON, _ claims: JSON) throws(JOSEError) {
        if let type = header["typ"] {
            guard let type = type.string, types.contains(Self.mediaType(type)) else { throw .wrongKind("its header has another typ") }
        } else if !mayLackType {
            throw .wrongKind("its header has no typ")
        }
        for mark in marks {
            guard let value = claims[mark.claim], !value.isNull, value != mark.value else { continue }
            throw .wrongKind("its claims have \(mark.value == nil ? "" : "another ")\(mark.claim)")
        }
    }

    /// The type without the part that may be left out. <https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9>
    private static func mediaType(_ text: UTF8Text) -> UTF8Text {
        let (type, prefix): (UTF8Text, UTF8Text) = (text.asciiLowercased, "application/")
        return type.hasPrefix(prefix) ? UTF8Text(type.utf8.dropFirst(prefix.utf8.count)) : type
    }
}
