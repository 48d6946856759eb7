package import HTTP
package import ProjectSettings
package import Projects
package import Text
import Web

/// The cookies of the provider: one for the browser's session in each project, and one for each request that waits. Both are for this host
/// alone (`SetCookie.hostName`).
package enum IssuerCookies {
    /// More waiting requests than these in one browser were forgotten; the surplus is cleared.
    private static let mostWaiting = 10
    /// As long as a kept request waits.
    private static let waiting: Duration = .seconds(1800)

    /// The cookie of the browser's session.
    package static func session(in request: Request, of project: ProjectSettings, _ site: Site) -> UTF8Text? {
        request.headers.cookie(sessionName(project, site))
    }

    /// The header that starts the browser's session.
    package static func setSession(_ value: String, of project: ProjectSettings, _ site: Site) -> String {
        header(sessionName(project, site), value, for: project.openIDProvider?.sessionLifetime ?? .zero, site)
    }

    package static func clearSession(of project: ProjectSettings, _ site: Site) -> String {
        header(sessionName(project, site), "", for: .zero, site)
    }

    /// The cookie that binds the waiting request with this id to the browser.
    package static func request(_ id: String, in request: Request, _ site: Site) -> UTF8Text? {
        request.headers.cookie(requestPrefix(site) + id)
    }

    /// The headers that bind a waiting request to the browser, and clear the cookies of forgotten ones.
    package static func setRequest(_ id: String, _ value: String, in request: Request, _ site: Site) -> [String] {
        let prefix = UTF8Text(requestPrefix(site))
        let old = request.headers.values("cookie").flatMap(Cookie.parse).filter { $0.name.hasPrefix(prefix) }
        return old.dropLast(mostWaiting - 1).map { header($0.name.asString, "", for: .zero, site) }
            + [header(requestPrefix(site) + id, value, for: waiting, site)]
    }

    package static func clearRequest(_ id: String, _ site: Site) -> String { header(requestPrefix(site) + id, "", for: .zero, site) }

    private static func sessionName(_ project: ProjectSettings, _ site: Site) -> String {
        SetCookie.hostName("gatehouse_session." + project.id, at: site)
    }

    private static func requestPrefix(_ site: Site) -> String { SetCookie.hostName("gatehouse_request.", at: site) }

    private static func header(_ name: String, _ value: String, for maxAge: Duration, _ site: Site) -> String {
        SetCookie(host: name, value, maxAge: maxAge, at: site).header
    }
}
