import HTTP
package import Text

/// Why a provider may not send a browser back to an address.
package enum RedirectURIFault: Error, Equatable {
    /// Not a URL without query and fragment, over https or of this machine.
    case malformed
    case unauthorized(host: String)
}

extension Project {
    /// An address to which a provider may send a browser back: this server's handler, or a page of an authorized domain, which the operator
    /// has registered with the provider. Throws for any other one.
    ///
    /// - Parameter handlers: the addresses of the handler: `handlerURL()`, and where it counts, the one that the browser used.
    package func redirectURI(
        _ text: UTF8Text, of providerID: UTF8Text, handlers: [String]
    ) throws(RedirectURIFault) -> String {
        guard let uri = URI.parse(text), uri.query == nil, uri.fragment == nil else { throw .malformed }
        if handlers.contains(where: { text == $0 || text == "\($0)/\(providerID)" }) { return text.asString }
        guard uri.isTrustworthy else { throw .malformed }
        guard authorizes(host: uri.host) else { throw .unauthorized(host: uri.host) }
        return text.asString
    }
}
