import Curl
import HTTP
import Text

extension ConfiguredProvider {
    /// Redeems a code once: a request that may have arrived is never repeated.
    func exchange(
        _ code: UTF8Text, _ redirectURI: String, _ codeVerifier: String, _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> TokenResponse {
        guard let endpoint = metadata.token else {
            throw .unfit("The discovery document has no token_endpoint.")
        }
        var form: Form = ["grant_type": "authorization_code", "code": code, "redirect_uri": UTF8Text(redirectURI)]
        if settings.usesPKCE { form.add("code_verifier", UTF8Text(codeVerifier)) }
        var headers: Headers = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        settings.clientAuthentication.resolved(metadata.clientAuthentication, hasSecret: settings.clientSecret != nil)
            .add(id: settings.clientID, secret: settings.clientSecret, form: &form, headers: &headers)
        let request = OutboundRequest(.post, "\(endpoint)", headers: headers, body: Array(form.encoded().utf8))
        let response: OutboundResponse
        do {
            response = try await upstream.send(request)
        } catch {
            let detail = "The token endpoint \(endpoint.origin) \(OutboundText.reason(error))."
            throw error.isOutage ? .unavailable(detail: detail) : .unfit(detail)
        }
        return try TokenResponse(response)
    }
}
