import Crypto
import HTTP
import JOSE
import Runtime
import Text

extension ConfiguredProvider {
    /// Sentences on what an operator must fix before people can sign in with this provider; empty when all is well. Asks an OpenID issuer
    /// for its discovery document and its keys. Asks every provider something as our client: to redeem a code that does not exist, of which
    /// a provider says so only to a client that it accepts, and by OAuth 2.0 also to check an access token; or for a request token (OAuth
    /// 1.0a).
    ///
    /// - Parameter redirectURI: the address that the operator should have registered.
    package func diagnose(redirectURI: String) async -> [String] {
        switch settings.protocol {
        case .openIDConnect(let issuer): return await diagnose(issuer, redirectURI)
        case .oauth2(let provider):
            let asked = [await tokenEndpointFinding(provider.endpoints.token, redirectURI), await tokenCheckFinding(provider)]
            var findings = asked.compactMap(\.self)
            for issuer in provider.nativeIssuers { findings += await keyFindings(of: issuer) }
            if let client = provider.nativeOAuth1, let finding = await finding(about: client, redirectURI) { findings.append(finding) }
            return findings
        case .oauth1(let provider):
            do throws(ProviderError) { _ = try await requestToken(provider, callback: redirectURI) } catch { return [error.explanation] }
            return []
        case .development: return []
        }
    }

    /// Sentences on what makes a provider safer that people can sign in with already; empty when there is nothing to do.
    package func advise() async -> [String] {
        guard let issuer = settings.protocol.issuer, !settings.hasOwnCallback, let metadata = try? await metadata(issuer),
            !metadata.promisesIssuer
        else { return [] }
        return [
            "It does not promise its name in its answers (iss, RFC 9207), and answers at the address of all providers. So a hostile "
                + "provider of this server could get its codes. Set ownCallback: true, and register the redirect URI that gatehouse check "
                + "prints then."
        ]
    }

    /// Whether the provider knows the client by OAuth 1.0a. It is asked for a request token only for that: a posted token has no callback.
    private func finding(about client: OAuth1Client, _ callback: String) async -> String? {
        let endpoint = client.rules.endpoints.requestToken
        do throws(ProviderError) {
            let answer = try await api.signing(as: client)
                .answer(toSigned: .post, endpoint, [(name: "oauth_callback", value: callback)])
            guard answer.status == 401 else { return nil }
            return "The address \(endpoint) answers with status 401: "
                + (client.rules.unfitness(in: answer) ?? "The provider does not accept consumerKey and consumerSecret.")
        } catch {
            return error.explanation
        }
    }

    private func diagnose(_ issuer: any Issuer, _ redirectURI: String) async -> [String] {
        let metadata: ProviderMetadata
        do throws(ProviderError) {
            metadata = try await document(of: issuer)
        } catch {
            return [error.explanation]
        }
        var findings: [String] = []
        let fault = fault(of: metadata, issuer)
        if let fault {
            findings.append("The discovery document at \(issuer.documentURL) \(fault).\(hint(metadata.issuer, issuer))")
        }
        findings += clientFindings(metadata)
        let algorithms = metadata.commonAlgorithms(settings.algorithms)
        let listed = metadata.algorithms ?? []
        if algorithms.isEmpty || !listed.isEmpty && !algorithms.contains(where: { listed.contains(UTF8Text($0.rawValue)) }) {
            let wanted = settings.algorithms ?? Set(Algorithm.allCases)
            findings.append(
                "The provider signs with \(Self.words(listed)). "
                    + "This entry accepts other algorithms: \(Self.words(wanted.map { UTF8Text($0.rawValue) })).")
        }
        // The endpoints of a document that does not fit are not asked.
        if fault != nil { return findings }
        findings += await keyFindings(metadata.keys, algorithms)
        if settings.flow == .code, let endpoint = metadata.token {
            findings += [await tokenEndpointFinding("\(endpoint)", redirectURI, metadata)].compactMap(\.self)
        }
        return findings
    }

    /// Findings on the keys of an issuer whose ID tokens only apps post.
    private func keyFindings(of issuer: any Issuer) async -> [String] {
        do throws(ProviderError) {
            let metadata = try await metadata(issuer)
            return await keyFindings(metadata.keys, metadata.commonAlgorithms(settings.algorithms))
        } catch {
            return [error.explanation]
        }
    }

    private func keyFindings(_ url: URI, _ algorithms: Set<Algorithm>) async -> [String] {
        do throws(ProviderError) {
            let keys = try await cache.keys("\(url)", upstream, now: clock.now())
            let fits = keys.keys.contains { key in algorithms.contains { key.key.components.fits($0.scheme) } }
            return algorithms.isEmpty || fits ? [] : ["None of the keys at \(url) fits an accepted signature algorithm."]
        } catch {
            return [error.explanation]
        }
    }

    private func clientFindings(_ metadata: ProviderMetadata) -> [String] {
        var findings: [String] = []
        if settings.flow == .code, metadata.token == nil {
            findings.append("The discovery document names no token_endpoint, which flow: code needs.")
        }
        if settings.answersByPost, let modes = metadata.responseModes, !modes.contains("form_post") {
            let remedy = settings.flow == .idToken ? "flow: idToken needs; use flow: code" : "responseMode: formPost needs"
            findings.append("The provider lists no response mode form_post, which \(remedy).")
        }
        let names: [UpstreamClientAuthentication: UTF8Text] = [
            .basic: "client_secret_basic", .post: "client_secret_post", .privateKeyJwt: "private_key_jwt",
        ]
        let method = settings.clientAuthentication.resolved(metadata.clientAuthentication, hasSecret: settings.clientSecret != nil)
        if settings.flow == .code, let name = names[method], let listed = metadata.clientAuthentication, !listed.contains(name) {
            findings.append(
                "The token endpoint takes \(Self.words(listed)), not \(name), "
                    + "which clientAuth: \(settings.clientAuthentication.rawValue) means.")
        }
        if settings.flow == .code, settings.usesPKCE, let listed = metadata.challengeMethods, !listed.contains("S256") {
            findings.append("The provider lists the PKCE methods \(Self.words(listed)), not S256; set pkce: off if it refuses sign-ins.")
        }
        return findings
    }

    /// A hint at the most frequent mistake.
    private func hint(_ named: UTF8Text, _ issuer: any Issuer) -> String {
        let wanted = issuer.storedIssuer
        if named == wanted + "/" || "\(named)/" as UTF8Text == wanted {
            return " They differ in the slash at the end: write the issuer as the document has it."
        }
        if named.asciiLowercased == UTF8Text(wanted).asciiLowercased {
            return " They differ in upper and lower case: write the issuer as the document has it."
        }
        return ""
    }

    private static func words(_ names: [UTF8Text]) -> String {
        names.isEmpty ? "nothing" : names.prefix(12).map { UpstreamText.visible($0) }.sorted().joined(separator: ", ")
    }
}
