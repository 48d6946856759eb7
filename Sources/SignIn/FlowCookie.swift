import Accounts
import HTTP
import Web

/// The cookie that binds a flow to the browser that started it: one a flow, so that tabs do not disturb one another.
enum FlowCookie {
    /// More than these at once are somebody's mistake; the surplus is cleared.
    private static let most = 10

    static func name(_ flowID: [UInt8], _ site: Site) -> String { prefix(site) + FlowID(bytes: flowID).text }

    static func value(for flowID: [UInt8], in request: Request, _ site: Site) -> String? {
        request.headers.cookie(name(flowID, site))
    }

    /// The headers that set the new flow's cookie, and clear those of forgotten flows.
    static func set(for started: StartedFlow, _ request: Request, _ site: Site) -> [String] {
        guard let value = started.cookie else { return [] }
        let old = request.headers.values("cookie").flatMap(Cookie.parse).filter { $0.name.hasPrefix(prefix(site)) }
        return old.dropLast(most - 1).map { header($0.name, "", for: .zero, site) }
            + [header(name(started.flow.id, site), value, for: SignInFlow.timeToReturn, site)]
    }

    static func clear(_ flowID: [UInt8], _ site: Site) -> String { header(name(flowID, site), "", for: .zero, site) }

    /// Browsers give `__Host-` cookies back to this host alone, and only over TLS, which a machine in development has not.
    private static func prefix(_ site: Site) -> String { site.development ? "bf." : "__Host-bf." }

    private static func header(_ name: String, _ value: String, for maxAge: Duration, _ site: Site) -> String {
        var cookie = SetCookie(name, value, maxAge: maxAge)
        cookie.isSecure = !site.development
        return cookie.header
    }
}
