import Accounts
import HTTP
import Projects
import Web

/// The cookie that keeps a redirect's result for the SDK's iframe, in browsers that separate the iframe's storage from the page's. One for
/// the whole host: the latest redirect counts. The iframe may be in a page of another site.
enum ReturnCookie {
    static func cookie(_ site: Site) -> HostCookie { HostCookie("gatehouse_result", at: site, sameSite: .none) }

    static func ticket(in request: Request, _ site: Site) -> FlowTicket? { cookie(site).value(in: request).flatMap(FlowTicket.init) }

    static func set(_ ticket: FlowTicket, _ site: Site) -> String { cookie(site).set(ticket.text, for: SignInFlow.timeToRedeem) }
}
