package import HTTP
package import Projects
package import Text

/// A cookie for this host alone. Unless it says otherwise, the browser sends it with no request of another site's page except a navigation.
///
/// Browsers return `__Host-` cookies only to this host and only over TLS, which a development machine does not have.
/// <https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix>
package struct HostCookie: Sendable {
    /// With the prefix.
    package let name: String
    private let site: Site
    private let sameSite: SetCookie.SameSite

    /// - Parameter sameSite: with `none`, the browser also sends it from a frame of another site's page. That takes TLS.
    package init(_ name: String, at site: Site, sameSite: SetCookie.SameSite = .lax) {
        self.name = site.development ? name : "__Host-" + name
        self.site = site
        self.sameSite = site.development ? .lax : sameSite
    }

    package func value(in request: Request) -> UTF8Text? { request.headers.cookie(name) }

    /// The header that sets it.
    package func set(_ value: String, for maxAge: Duration) -> String {
        var cookie = SetCookie(name, value, maxAge: maxAge)
        cookie.isSecure = !site.development
        cookie.sameSite = sameSite
        return cookie.header
    }

    /// The header that removes it.
    package func clear() -> String { set("", for: .zero) }
}

/// Cookies of one kind with an id each, such as one for each flow of a browser, so that tabs do not disturb one another.
package struct CookieFamily: Sendable {
    /// The most bytes that the values of one kind have together, so that proxies accept the request.
    private static let mostBytes = 4096

    private let kind: String
    private let site: Site
    private let most: Int

    /// - Parameter most: more than these in one browser were forgotten, or are a mistake of an app; the surplus is cleared.
    package init(_ kind: String, at site: Site, most: Int = 10) {
        self.kind = kind
        self.site = site
        self.most = most
    }

    package func cookie(_ id: String) -> HostCookie { HostCookie("\(kind).\(id)", at: site) }

    /// Those of the browser, in the order in which it sends them.
    package func all(in request: Request) -> [(id: UTF8Text, value: UTF8Text)] {
        let prefix = UTF8Text(cookie("").name)
        return request.headers.values("cookie").flatMap(Cookie.parse).filter { $0.name.hasPrefix(prefix) }
            .map { (UTF8Text(decoding: $0.name.utf8.dropFirst(prefix.utf8.count)), $0.value) }
    }

    /// The headers that set the cookie with this id, and clear those of forgotten ones.
    package func set(_ id: String, _ value: String, for maxAge: Duration, in request: Request) -> [String] {
        let others = all(in: request).filter { $0.id != UTF8Text(id) }
        var bytes = value.utf8.count
        // The newest stand last.
        let kept = others.reversed().prefix(most - 1).prefix {
            bytes += $0.value.utf8.count
            return bytes <= Self.mostBytes
        }
        return others.dropLast(kept.count).map { cookie($0.id.asString).clear() } + [cookie(id).set(value, for: maxAge)]
    }
}

extension Response {
    /// - Parameter header: what `HostCookie.set` or `clear` gives.
    package mutating func setCookie(_ header: String) { headers.add("set-cookie", header) }

    package mutating func setCookies(_ headers: [String]) {
        for header in headers { setCookie(header) }
    }
}
