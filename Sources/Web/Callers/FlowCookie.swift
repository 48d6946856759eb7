package import Accounts
package import HTTP
package import Projects
import Text

/// The cookie that binds a flow to the browser that started it, at the handler or at a hosted page. Each flow has its own, so that tabs do
/// not disturb one another.
package enum FlowCookie {
    /// More than these at once are a mistake of an app; the surplus is cleared.
    private static let most = 10

    package static func name(_ flowID: [UInt8], _ site: Site) -> String { prefix(site) + FlowID(bytes: flowID).text }

    package static func value(for flowID: [UInt8], in request: Request, _ site: Site) -> String? {
        request.headers.cookie(name(flowID, site))?.asString
    }

    /// The one flow that this browser has started; `nil` when it has none, or several.
    package static func only(in request: Request, _ site: Site) -> (flowID: [UInt8], value: String)? {
        let prefix = UTF8Text(prefix(site))
        let cookies = request.headers.values("cookie").flatMap(Cookie.parse).filter { $0.name.hasPrefix(prefix) }
        guard cookies.count == 1, let cookie = cookies.first,
            let id = FlowID(UTF8Text(decoding: cookie.name.utf8.dropFirst(prefix.utf8.count)))
        else { return nil }
        return (id.bytes, cookie.value.asString)
    }

    /// The headers that set the new flow's cookie, and clear those of forgotten flows.
    package static func set(for started: StartedFlow, _ request: Request, _ site: Site) -> [String] {
        guard let value = started.cookie else { return [] }
        let old = request.headers.values("cookie").flatMap(Cookie.parse).filter { $0.name.hasPrefix(UTF8Text(prefix(site))) }
        return old.dropLast(most - 1).map { header($0.name.asString, "", for: .zero, site) }
            + [header(name(started.flow.id, site), value, for: SignInFlow.timeToReturn, site)]
    }

    package static func clear(_ flowID: [UInt8], _ site: Site) -> String { header(name(flowID, site), "", for: .zero, site) }

    private static func prefix(_ site: Site) -> String { SetCookie.hostName("bf.", at: site) }

    private static func header(_ name: String, _ value: String, for maxAge: Duration, _ site: Site) -> String {
        SetCookie(host: name, value, maxAge: maxAge, at: site).header
    }
}
