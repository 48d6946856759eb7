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
        try CustomParameters.check(secrets.customParameters, reserved: rules.reservedParameters)
        try CustomParameters.check(scopes: scopes)
        var fields = [("response_type", settings.flow == .code ? "code" : "id_token"), ("client_id", settings.clientID)]
        fields += [("redirect_uri", redirectURI), ("scope", joined(scopes)), ("state", state)]
        var custom = secrets.customParameters
        let page: String
        switch settings.protocol {
        case .openIDConnect(let issuer):
            let narrowed = try issuer.narrowed(by: custom)
            custom = narrowed.rest
            page = "\(try await metadata(narrowed.issuer).authorization)"
            fields.append(("nonce", secrets.nonce))
        case .oauth2(let service): page = service.authorization
        }
        switch settings.flow {
        case .code: if settings.usesPKCE { fields += [("code_challenge", secrets.codeChallenge), ("code_challenge_method", "S256")] }
        case .idToken: fields.append(("response_mode", "form_post"))
        }
        let own = settings.parameters.map { (UTF8Text($0.key), UTF8Text($0.value)) }
        fields += custom.merging(own) { $1 }.sorted { $0.key < $1.key }.map { ($0.key.asString, $0.value.asString) }
        // Spaces as %20, since some servers do not read `+` in a query.
        let query = fields.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return Authorization(url: "\(page)\(page.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(query)#")
    }

    /// The entry's scopes and then the app's.
    private func joined(_ scopes: [UTF8Text]) -> String {
        (settings.scopes + scopes.map(\.asString).filter { !settings.scopes.contains($0) }).joined(separator: " ")
    }
}
