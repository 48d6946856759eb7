package import ProjectSettings
package import Projects
package import Web

/// The cookies of a project's OpenID provider in a browser.
package enum IssuerCookies {
    /// As long as a pending request waits.
    package static let waiting: Duration = .seconds(1800)

    /// The browser's session in the project.
    package static func session(of project: ProjectSettings, _ site: Site) -> HostCookie {
        HostCookie("gatehouse_session." + project.id, at: site)
    }

    /// One for each request that waits; it binds the request to the browser.
    package static func requests(_ site: Site) -> CookieFamily { CookieFamily("gatehouse_request", at: site) }
}
