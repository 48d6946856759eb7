import HTTP
package import Identity
package import Text

/// Where a sign-in begins at the provider, and what must be kept for its end.
package struct Authorization: Sendable, Equatable {
    package let url: String
    /// The secret of the request token in the address, when the provider speaks OAuth 1. The redemption needs it again.
    package var requestTokenSecret: String?
}

extension ConfiguredProvider {
    /// The address that starts a sign-in at the provider.
    ///
    /// It ends with an empty fragment; otherwise a browser would carry the fragment of the current page over to the provider.
    /// - Parameters:
    ///   - secrets: new ones, which `redeem` gets again.
    ///   - scopes: asked for in addition to the entry's.
    package func authorize(
        redirectURI: String, state: String, secrets: SignInSecrets, scopes: [UTF8Text]
    ) async throws(ProviderError) -> Authorization {
        let customParameters = secrets.customParameters
        try CustomParameters.check(customParameters, reserved: settings.issuer.reservedParameters)
        try CustomParameters.check(scopes: scopes)
        let (issuer, custom) = try settings.issuer.narrowed(by: customParameters)
        let metadata = try await metadata(issuer)
        var scopesInOrder = settings.scopes.map { UTF8Text($0) }
        for scope in scopes where !scopesInOrder.contains(scope) { scopesInOrder.append(scope) }
        var fields = [
            ("response_type", settings.flow == .code ? "code" : "id_token"), ("client_id", settings.clientID),
            ("redirect_uri", redirectURI), ("scope", scopesInOrder.map(\.asString).joined(separator: " ")), ("state", state),
            ("nonce", secrets.nonce),
        ]
        switch settings.flow {
        case .code: if settings.usesPKCE { fields += [("code_challenge", secrets.codeChallenge), ("code_challenge_method", "S256")] }
        case .idToken: fields.append(("response_mode", "form_post"))
        }
        let own = settings.parameters.map { (UTF8Text($0.key), UTF8Text($0.value)) }
        fields += custom.merging(own) { $1 }.sorted { $0.key < $1.key }.map { ($0.key.asString, $0.value.asString) }
        // Spaces as %20, since some servers do not read `+` in a query.
        let query = fields.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return Authorization(url: "\(metadata.authorization)\(metadata.authorization.query == nil ? "?" : "&")\(query)#")
    }
}
