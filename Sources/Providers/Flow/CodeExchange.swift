import Curl
import HTTP
import JOSE
import Runtime
import Text

/// Requests to a token endpoint. <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3>
extension ConfiguredProvider {
    /// Redeems a code once: a request that may have arrived is never repeated.
    ///
    /// - Parameter metadata: the issuer's; `nil` for a provider without.
    func exchange(
        _ code: UTF8Text, _ redirectURI: String, _ codeVerifier: String, at endpoint: String, _ metadata: ProviderMetadata?
    ) async throws(ProviderError) -> TokenResponse {
        var form: Form = ["grant_type": "authorization_code", "code": code, "redirect_uri": UTF8Text(redirectURI)]
        if settings.usesPKCE { form.add("code_verifier", UTF8Text(codeVerifier)) }
        return try await tokens(for: form, at: endpoint, metadata)
    }

    /// The answer to a request for tokens, in which this server proves itself as the client.
    func tokens(for grant: Form, at endpoint: String, _ metadata: ProviderMetadata?) async throws(ProviderError) -> TokenResponse {
        var form = grant
        var headers: Headers = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        try proveClient(to: endpoint, metadata, &form, &headers)
        let request = OutboundRequest(.post, endpoint, headers: headers, body: Array(form.encoded().utf8))
        let response: OutboundResponse
        do {
            response = try await upstream.send(request)
        } catch {
            let detail = "The token endpoint \(endpoint) \(OutboundText.reason(error))."
            throw error.isOutage ? .unavailable(detail: detail) : .unfit(detail)
        }
        return try TokenResponse(response, rules)
    }

    private func proveClient(
        to endpoint: String, _ metadata: ProviderMetadata?, _ form: inout Form, _ headers: inout Headers
    ) throws(ProviderError) {
        if let key = settings.clientKey, let issuer = settings.protocol.issuer, let rules = issuer.assertions {
            let audience = rules.audience == .issuer ? metadata?.issuer.asString ?? issuer.storedIssuer : endpoint
            let assertion = try key.assertion(
                of: settings.clientID, for: audience, rules, listed: metadata?.assertionAlgorithms, at: clock.now())
            form.add("client_id", UTF8Text(settings.clientID))
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.add("client_assertion", UTF8Text(assertion))
            return
        }
        let secret = try self.rules.clientSecret(settings.clientSecret, of: settings.clientID, at: clock.now())
        settings.clientAuthentication.resolved(metadata?.clientAuthentication, hasSecret: secret != nil)
            .add(id: settings.clientID, secret: secret, form: &form, headers: &headers)
    }
}
