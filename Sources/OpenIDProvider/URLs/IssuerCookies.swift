package import ProjectSettings
package import Projects
package import Web

/// The cookies of a project's OpenID provider in a browser.
package enum IssuerCookies {
    /// The browser's session in the project.
    package static func session(of project: ProjectSettings, _ site: Site) -> HostCookie {
        HostCookie("gatehouse_session." + project.addressName, at: site)
    }

    /// The header that starts the browser's session.
    package static func setSession(_ value: String, of project: ProjectSettings, _ site: Site) -> String {
        session(of: project, site).set(value, for: project.openIDProvider?.sessionLifetime ?? .zero)
    }

    /// One for each request that waits; it binds the request to the browser.
    package static func requests(_ site: Site) -> CookieFamily { CookieFamily("gatehouse_request", at: site) }

    /// One for each request whose person has given the first proof and owes a second factor; it names the sign-in that waits.
    package static func factors(_ site: Site) -> CookieFamily { CookieFamily("gatehouse_factor", at: site) }

    /// One for each account that is remembered in this browser (`DeviceToken.cookieID`).
    package static func devices(_ site: Site) -> CookieFamily { CookieFamily("gatehouse_device", at: site) }
}
