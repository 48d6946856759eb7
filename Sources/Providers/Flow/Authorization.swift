import HTTP
package import Identity
package import Text

/// Where a sign-in begins at the provider, and what must be kept for its end.
package struct Authorization: Sendable, Equatable {
    package let url: String
    /// The request token in the address, when the provider speaks OAuth 1.0a. The redemption needs it again, with its secret.
    package var requestToken: OAuth1Token?
}

extension ConfiguredProvider {
    /// The address that starts a sign-in at the provider.
    ///
    /// It ends with an empty fragment; otherwise a browser would carry the fragment of the current page over to the provider.
    /// - Parameters:
    ///   - secrets: new ones, which `redeem` gets again.
    ///   - scopes: asked for in addition to the entry's. OAuth 1.0a has none.
    package func authorize(
        redirectURI: String, state: String, secrets: SignInSecrets, scopes: [UTF8Text]
    ) async throws(ProviderError) -> Authorization {
        try CustomParameters.check(secrets.customParameters, reserved: rules.reservedParameters)
        try CustomParameters.check(scopes: scopes)
        let custom = secrets.customParameters
        switch settings.protocol {
        case .openIDConnect(let issuer):
            let narrowed = try issuer.narrowed(by: custom)
            let page = "\(try await metadata(narrowed.issuer).authorization)"
            let fields = request(redirectURI, state, secrets, scopes) + [("nonce", secrets.nonce)]
            return Authorization(url: address(page, fields, narrowed.rest))
        case .oauth2(let provider):
            return Authorization(url: address(provider.endpoints.authorization, request(redirectURI, state, secrets, scopes), custom))
        case .oauth1(let provider):
            let token = try await requestToken(provider, callback: Self.adding([("state", state)], to: redirectURI))
            return Authorization(
                url: address(provider.endpoints.authorization, [("oauth_token", token.token.asString)], custom), requestToken: token)
        case .development(let provider):
            return Authorization(url: address(provider.page, request(redirectURI, state, secrets, scopes), custom))
        }
    }

    /// The fields of an authorization request by OAuth 2.0. <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1>
    private func request(_ redirectURI: String, _ state: String, _ secrets: SignInSecrets, _ scopes: [UTF8Text]) -> [(String, String)] {
        var fields = [("response_type", settings.flow == .code ? "code" : "id_token"), ("client_id", settings.clientID)]
        fields += [("redirect_uri", redirectURI), ("scope", joined(scopes)), ("state", state)]
        if settings.flow == .code, settings.usesPKCE {
            fields += [("code_challenge", secrets.codeChallenge), ("code_challenge_method", "S256")]
        }
        if settings.answersByPost { fields.append(("response_mode", "form_post")) }
        return fields
    }

    /// The entry's scopes and then the app's.
    private func joined(_ scopes: [UTF8Text]) -> String {
        (settings.scopes + scopes.map(\.asString).filter { !settings.scopes.contains($0) }).joined(separator: " ")
    }

    /// The page with the fields of the protocol, then the entry's and the app's own.
    private func address(_ page: String, _ fields: [(String, String)], _ custom: [UTF8Text: UTF8Text]) -> String {
        let own = settings.parameters.map { (UTF8Text($0.key), UTF8Text($0.value)) }
        let more = custom.merging(own) { $1 }.sorted { $0.key < $1.key }.map { ($0.key.asString, $0.value.asString) }
        return Self.adding(fields + more, to: page) + "#"
    }

    private static func adding(_ fields: [(String, String)], to page: String) -> String {
        // Spaces as %20, since some servers do not read `+` in a query.
        let query = fields.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return "\(page)\(page.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(query)"
    }
}

/// How a provider gives its answer to the browser. <https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html>
enum ResponseMode: String, Sendable, CaseIterable {
    /// In the address to which it redirects.
    case query
    /// In a form that the browser posts.
    case formPost
}
