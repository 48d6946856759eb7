package import Accounts
package import HTTP
package import Projects
import Text

/// The cookie that binds a flow to the browser that started it, at the handler or at a hosted page.
package enum FlowCookie {
    package static func value(for flowID: [UInt8], in request: Request, _ site: Site) -> String? {
        cookie(flowID, site).value(in: request)?.asString
    }

    /// The one flow that this browser has started; `nil` when it has none, or several.
    package static func only(in request: Request, _ site: Site) -> (flowID: [UInt8], value: String)? {
        let all = family(site).all(in: request)
        guard all.count == 1, let (text, value) = all.first, let id = FlowID(text) else { return nil }
        return (id.bytes, value.asString)
    }

    /// The headers that set the new flow's cookie, and clear those of forgotten flows.
    package static func set(for started: StartedFlow, _ request: Request, _ site: Site) -> [String] {
        guard let value = started.cookie else { return [] }
        return family(site).set(FlowID(bytes: started.flow.id).text, value, for: SignInFlow.timeToReturn, in: request)
    }

    package static func cookie(_ flowID: [UInt8], _ site: Site) -> HostCookie { family(site).cookie(FlowID(bytes: flowID).text) }

    private static func family(_ site: Site) -> CookieFamily { CookieFamily("gatehouse_flow", at: site) }
}
