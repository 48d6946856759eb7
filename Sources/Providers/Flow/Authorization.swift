package import HTTP
package import Text

extension ConfiguredProvider {
    /// The URL that starts a sign-in at the provider.
    ///
    /// It ends with an empty fragment: a browser would carry the fragment of the page it comes from over to the provider otherwise.
    /// - Parameters:
    ///   - nonce: fresh and secret; `redeem` compares it with the ID token's.
    ///   - codeChallenge: the S256 challenge of the verifier that `redeem` gets.
    ///   - customParameters: the app's; see `CustomParameters`.
    ///   - scopes: asked for besides the entry's.
    package func authorize(
        redirectURI: String, state: String, nonce: String, codeChallenge: String, customParameters: [UTF8Text: UTF8Text], scopes: [UTF8Text]
    ) async throws(ProviderError) -> String {
        try CustomParameters.check(customParameters, reserved: settings.issuer.reservedParameters)
        try CustomParameters.check(scopes: scopes)
        let (issuer, custom) = try settings.issuer.narrowed(by: customParameters)
        let metadata = try await metadata(issuer)
        var scopesInOrder = settings.scopes.map { UTF8Text($0) }
        for scope in scopes where !scopesInOrder.contains(scope) { scopesInOrder.append(scope) }
        var fields = [
            ("response_type", settings.flow == .code ? "code" : "id_token"), ("client_id", settings.clientID),
            ("redirect_uri", redirectURI), ("scope", scopesInOrder.map(\.asString).joined(separator: " ")), ("state", state),
            ("nonce", nonce),
        ]
        switch settings.flow {
        case .code: if settings.usesPKCE { fields += [("code_challenge", codeChallenge), ("code_challenge_method", "S256")] }
        case .idToken: fields.append(("response_mode", "form_post"))
        }
        let own = settings.parameters.map { (UTF8Text($0.key), UTF8Text($0.value)) }
        fields += custom.merging(own) { $1 }.sorted { $0.key < $1.key }.map { ($0.key.asString, $0.value.asString) }
        // Spaces as %20: not everybody reads `+` in a query.
        let query = fields.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return "\(metadata.authorization)\(metadata.authorization.query == nil ? "?" : "&")\(query)#"
    }

    /// An SDK's custom parameters without those that `authorize` would refuse for being its own.
    package func permitted(_ customParameters: [UTF8Text: UTF8Text]) -> [UTF8Text: UTF8Text] {
        CustomParameters.without(reserved: settings.issuer.reservedParameters, customParameters)
    }

    /// Trades the provider's answer to `authorize` for proof of who signed in.
    ///
    /// - Parameter callback: the answer's fields: `code`, or `id_token` where the entry says `flow: idToken`.
    package func redeem(
        callback: Form, redirectURI: String, codeVerifier: String, nonce: String, customParameters: [UTF8Text: UTF8Text]
    ) async throws(ProviderError) -> ProviderResult {
        if let error = callback["error"] { throw .callback(error, description: callback["error_description"]) }
        let (issuer, _) = try settings.issuer.narrowed(by: customParameters)
        try await checkCallback(issuer: callback["iss"])
        let expected = IDTokenChecks.ExpectedNonce.ours(nonce)
        switch settings.flow {
        case .code:
            let answer = try await exchange(try only("code", of: callback), redirectURI, codeVerifier, try await metadata(issuer))
            let evidence = try await prove(
                answer.idToken, accessToken: answer.accessToken, nonce: expected, issuer, answer: callback)
            var result = ProviderResult(
                identity: try await issuer.identity(evidence, api), idToken: answer.idToken.asString,
                accessToken: answer.accessToken?.asString
            )
            result.refreshToken = answer.refreshToken?.asString
            result.expiresIn = answer.expiresIn
            return result
        case .idToken:
            let token = try only("id_token", of: callback)
            let evidence = try await prove(token, accessToken: nil, nonce: expected, issuer, answer: callback)
            return ProviderResult(identity: try await issuer.identity(evidence, api), idToken: token.asString)
        }
    }

    private func only(_ name: UTF8Text, of callback: Form) throws(ProviderError) -> UTF8Text {
        let values = callback.all(name)
        guard values.count == 1, let value = values.first, !value.isEmpty else {
            throw .invalidResponse("The provider's answer has no \(name).", detail: "callback with \(values.count) of \(name)")
        }
        return value
    }
}
