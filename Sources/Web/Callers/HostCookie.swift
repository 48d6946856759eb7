package import HTTP
package import Projects

extension SetCookie {
    /// A cookie for this host alone, which the browser sends with no request of another site's page except a navigation.
    ///
    /// Browsers return `__Host-` cookies only to this host and only over TLS, which a development machine does not have.
    /// <https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix>
    /// - Parameter name: with the prefix, as `hostName` gives it.
    package init(host name: String, _ value: String, maxAge: Duration, at site: Site) {
        self.init(name, value, maxAge: maxAge)
        isSecure = !site.development
    }

    /// The name of a cookie for this host alone.
    package static func hostName(_ name: String, at site: Site) -> String { site.development ? name : "__Host-" + name }
}
