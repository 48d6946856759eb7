import Text

/// The part of an earlier request or grant that its client may still have. A reload of the configuration may have taken away the client, the
/// user flow, a redirect URI, a scope or the refresh since. Every use of a pending request, a code, a token or a grant asks here.
extension ProjectSettings {
    /// The client of a request: a registered one, or the project itself for one of its apps' own pages. `nil` when it, the user flow, or
    /// the address that the browser goes back to, is not configured any more.
    package func client(id: String, userFlow: String?, redirectURI: String) -> OAuthClient? {
        guard let provider = openIDProvider else { return nil }
        // The page itself has made the request, and gets nothing by it but a browser's session.
        if id.isExactly(accountPageClientID) {
            return provider.accountPage ? OAuthClient(id: id, name: branding.name, kind: .browser, redirectURIs: [redirectURI]) : nil
        }
        guard !id.isExactly(self.id) else {
            guard redirectURLs.contains(where: { redirectURI.isExactly($0) }) else { return nil }
            return OAuthClient(id: self.id, name: branding.name, kind: .browser, redirectURIs: [redirectURI])
        }
        guard let client = provider.client(id: id, userFlow: userFlow), client.redirectURI(matching: UTF8Text(redirectURI)) != nil else {
            return nil
        }
        return client
    }

    /// The client of requests by which people come to the account page. No registered client has this id, and none can ask by it.
    package var accountPageClientID: String { Self.accountPageClientID(of: id) }

    static func accountPageClientID(of project: String) -> String { "\(project)/account" }
}

extension ProjectSettings.OpenIDProvider {
    /// The client of a grant; `nil` when it, or the user flow by which the person signed in, is not configured any more. A grant outlives the
    /// redirect URI of its request.
    package func client(id: String, userFlow: String?) -> OAuthClient? {
        guard userFlow == nil || userFlows.contains(where: { $0.name.isExactly(userFlow) }) else { return nil }
        return client(id: UTF8Text(id))
    }
}

extension OAuthClient {
    /// Those of the scopes that the client may still have.
    package func keeping(_ granted: [String]) -> [String] { granted.filter { scopes.contains($0) || apiScopes.contains($0) || id == $0 } }

    /// Those of a token's audiences that the client may still reach: all but the APIs whose scopes of the grant it has lost.
    package func keeping(audiences: [String], of granted: [String]) -> [String] {
        audiences.filter { audience in
            let scopes = granted.filter { Self.audience(ofAPIScope: $0) == audience }
            return scopes.isEmpty || !keeping(scopes).isEmpty
        }
    }

    /// Whether a grant of these scopes can be refreshed: that of an app can, others where the person allowed use without them.
    package func mayRefresh(_ granted: [String]) -> Bool { kind == .native || keeping(granted).contains("offline_access") }
}
