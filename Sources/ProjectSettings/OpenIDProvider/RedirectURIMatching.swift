package import Text

extension OAuthClient {
    /// The redirect URI that a client sent, when the client has it registered; `nil` otherwise.
    ///
    /// The two must have the same bytes (<https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3>), except for:
    /// - the case of letters in the scheme and the host, which browsers and systems write in lower case;
    /// - the port of a native app's loopback URI that is registered without one (<https://www.rfc-editor.org/rfc/rfc8252#section-7.3>).
    package func redirectURI(matching sent: UTF8Text) -> String? { find(sent, in: redirectURIs) }

    /// Whether the redirect URI of an earlier request is still registered: a reload of the configuration may have taken it away since.
    package func isReached(at redirectURI: String) -> Bool { self.redirectURI(matching: UTF8Text(redirectURI)) != nil }

    /// The same for the URIs to which a browser may go after a log-out.
    package func postLogoutRedirectURI(matching sent: UTF8Text) -> String? { find(sent, in: postLogoutRedirectURIs) }

    private func find(_ sent: UTF8Text, in registered: [String]) -> String? {
        if registered.contains(where: { sent == $0 }) { return sent.asString }
        guard sent.utf8.count <= RedirectURI.longest, let uri = RedirectURI(sent) else { return nil }
        let isKnown = registered.contains { text in
            guard let known = RedirectURI(UTF8Text(text)), uri.scheme == known.scheme, uri.rest == known.rest else { return false }
            return uri.authority == known.authority || kind == .native && Self.differsByPort(uri, from: known)
        }
        return isKnown ? sent.asString : nil
    }

    private static func differsByPort(_ uri: RedirectURI, from known: RedirectURI) -> Bool {
        guard known.isLoopbackWithoutPort, let sent = uri.authority, let host = known.authority else { return false }
        return RedirectURI.isPort(sent, after: host)
    }
}
