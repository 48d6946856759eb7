import Accounts
import Crypto
import HTTP
import Projects
import Text
import Web

/// The sign-ins at the provider that a browser has begun at the console. Each has a cookie of its own, so that tabs do not disturb one another.
///
/// The request by which the provider sends the browser back is another site's: it brings these cookies, and not that of the session, which is
/// SameSite=Strict. So the flows say which session the browser has.
struct BegunSignIns {
    private let flows: OperatorFlows
    private let cookies: CookieFamily
    private let request: Request
    private let begun: [OperatorFlows.Flow]
    /// The session's cookie, where the request brings it.
    private let session: UTF8Text?

    init(in request: Request, at site: Site, session: HostCookie, _ flows: OperatorFlows) {
        self.session = session.value(in: request)
        self.flows = flows
        self.request = request
        cookies = CookieFamily("gatehouse_console_flow", at: site, most: 5)
        begun = cookies.all(in: request).compactMap { flows.open($0.value) }
    }

    /// The flow that the provider's answer belongs to; `nil` where this browser has not begun it, and when its time is over.
    func flow(of state: UTF8Text) -> OperatorFlows.Flow? { begun.first { $0.answers(state) } }

    /// The ids of the sessions that end when the browser gets another one.
    ///
    /// A request that another site has begun leaves no session in a flow, since it does not bring the session's cookie.
    var formerSessions: Set<String> {
        Set((begun.map(\.formerSession) + [session.flatMap(OperatorSessions.id(ofCookie:))]).compactMap(\.self))
    }

    /// The headers that keep a new flow in the browser, and clear those of forgotten flows.
    func set(_ flow: OperatorFlows.Flow) throws -> [String] {
        cookies.set(Self.id(UTF8Text(flow.state)), try flows.seal(flow), for: OperatorFlows.lifetime, in: request)
    }

    /// The headers for a browser that gets a new session: they clear the flow that led to it, and have the flows of other tabs end the new session when they come to their end.
    ///
    /// - Parameter state: of the flow that is over, if there is one.
    func headers(forNew session: OperatorSession, ending state: String? = nil) throws -> [String] {
        try begun.map { flow in
            let cookie = cookies.cookie(Self.id(UTF8Text(flow.state)))
            return flow.state == state ? cookie.clear() : cookie.set(try flows.seal(flow.replacing(session)), for: OperatorFlows.lifetime)
        }
    }

    /// The header that removes the flow of a state, whether there is one or not.
    func clear(_ state: UTF8Text) -> String { cookies.cookie(Self.id(state)).clear() }

    /// The end of the cookie's name.
    private static func id(_ state: UTF8Text) -> String { Base64URL.encode(Array(Digest.sha256(Array(state.utf8)).prefix(9))) }
}
