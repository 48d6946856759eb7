import Accounts
import HTTP
import Projects
import Text
import Web

/// The cookie that keeps a redirect's result for the SDK's iframe, in browsers that separate the iframe's storage from the page's. One for
/// the whole host: the latest redirect counts.
enum ReturnCookie {
    static func name(_ site: Site) -> String { SetCookie.hostName("bfret", at: site) }

    static func ticket(in request: Request, _ site: Site) -> FlowTicket? { request.headers.cookie(name(site)).flatMap(FlowTicket.init) }

    static func set(_ ticket: FlowTicket, _ site: Site) -> String { header(ticket.text, for: SignInFlow.timeToRedeem, site) }

    static func clear(_ site: Site) -> String { header("", for: .zero, site) }

    /// The iframe may be in a page of another site, where only a `SameSite=None` cookie is sent; that needs TLS.
    private static func header(_ value: String, for maxAge: Duration, _ site: Site) -> String {
        var cookie = SetCookie(host: name(site), value, maxAge: maxAge, at: site)
        cookie.sameSite = site.development ? .lax : .none
        return cookie.header
    }
}
