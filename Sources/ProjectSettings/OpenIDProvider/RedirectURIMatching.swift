package import Text

extension OAuthClient {
    /// The redirect URI that a client sent, when the client has it registered; `nil` otherwise.
    ///
    /// The two must have the same bytes (<https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3>), except for the port of a native app's loopback
    /// URI that is registered without one (<https://www.rfc-editor.org/rfc/rfc8252#section-7.3>).
    package func redirectURI(matching sent: UTF8Text) -> String? { find(sent, in: redirectURIs) }

    /// The same for the URIs to which a browser may go after a log-out.
    package func postLogoutRedirectURI(matching sent: UTF8Text) -> String? { find(sent, in: postLogoutRedirectURIs) }

    private func find(_ sent: UTF8Text, in registered: [String]) -> String? {
        let isKnown = registered.contains { sent == $0 || kind == .native && Self.differsByPort(sent, from: UTF8Text($0)) }
        return isKnown ? sent.asString : nil
    }

    private static func differsByPort(_ sent: UTF8Text, from registered: UTF8Text) -> Bool {
        guard sent.utf8.count <= RedirectURI.longest, let known = RedirectURI(registered), known.isLoopbackWithoutPort,
            RedirectURI(sent)?.rest == known.rest
        else { return false }
        let tail = known.rest.utf8.count
        return RedirectURI.isPort(
            UTF8Text(decoding: sent.utf8.dropLast(tail)), after: UTF8Text(decoding: registered.utf8.dropLast(tail)))
    }
}
