import Accounts
import HTTP
import Testing
import Text
@testable import Web

@Suite struct RouterTests {
    private let router = Router(
        [
            Handler(
                route: .client(.post, "/v1/accounts:lookup", v3: "getAccountInfo"), errorFormat: .googleJSON,
                immediate: { _, _ in Response() }),
            Handler(
                route: Route(.post, "/v1/token", access: .apiKey, host: .secureToken), errorFormat: .googleJSON,
                immediate: { _, _ in Response() }),
            Handler(
                route: Route(.get, "/__/auth/handler/{provider}", access: .anyone), errorFormat: .page, immediate: { _, _ in Response() }),
            Handler(
                route: Route(.get, "/{project}/oauth2/jwks", access: .anyone), errorFormat: .googleJSON, immediate: { _, _ in Response() }),
            Handler(
                route: .administrator(
                    .post, "/v1/projects/{project}/accounts:lookup", right: .readUsers,
                    client: .client(.post, "/v1/accounts:lookup", v3: "getAccountInfo")),
                errorFormat: .googleJSON, immediate: { _, _ in Response() }),
            Handler(
                route: .administrator(.post, "/v1/projects/{project}:createSessionCookie", right: .sessionCookies),
                errorFormat: .googleJSON, immediate: { _, _ in Response() }),
        ] + Operations.handlers + Operations.front)

    private func found(
        _ method: HTTP.Method, _ path: String, hasBearer: Bool = false
    ) -> (path: String, parameters: PathParameters)? {
        guard case .found(let handler, let parameters) = router.match(method, path, hasBearer: hasBearer) else { return nil }
        return (handler.route.path, parameters)
    }

    @Test(arguments: [
        "/v1/accounts:lookup", "/identitytoolkit.googleapis.com/v1/accounts:lookup",
        "/identitytoolkit/v3/relyingparty/getAccountInfo", "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
    ])
    func `reaches a call by raw path, behind a Google host's name, and by its v3 name`(path: String) {
        #expect(found(.post, path)?.path == "/v1/accounts:lookup")
    }

    @Test(arguments: [
        "/v1/accounts:lookup", "/identitytoolkit.googleapis.com/v1/accounts:lookup",
        "/identitytoolkit/v3/relyingparty/getAccountInfo", "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
    ])
    func `leads a bearer token at a client's path to the call of administrators`(path: String) {
        #expect(found(.post, path, hasBearer: true)?.path == "/v1/projects/{project}/accounts:lookup")
        #expect(found(.get, path, hasBearer: true) == nil)
    }

    @Test func `reaches the calls of administrators by their own path, with a bearer token or without`() {
        for hasBearer in [false, true] {
            let call = found(.post, "/identitytoolkit.googleapis.com/v1/projects/demo/accounts:lookup", hasBearer: hasBearer)
            #expect(call?.path == "/v1/projects/{project}/accounts:lookup")
            #expect(call?.parameters == ["project": "demo"])
        }
        #expect(found(.post, "/v1/token", hasBearer: true)?.path == "/v1/token")
    }

    @Test func `ends a value where the fixed rest of its segment begins`() {
        #expect(found(.post, "/v1/projects/demo:createSessionCookie")?.parameters == ["project": "demo"])
        #expect(found(.post, "/v1/projects/a:b:createSessionCookie")?.parameters == ["project": "a:b"])
        for path in ["/v1/projects/:createSessionCookie", "/v1/projects/demo:createSessionCookies", "/v1/projects/demo"] {
            #expect(found(.post, path) == nil)
        }
    }

    @Test func `prefers fixed segments, then long fixed rests, and goes back where a path leads nowhere`() {
        let paths = ["/{a}/x/{b}", "/{a}:end/x/{c}", "/{a}:long:end/x/{d}", "/fixed/x/y", "/fixed/{e}/z"]
        let router = Router(
            paths.map { path in
                Handler(route: Route(.get, path, access: .anyone), errorFormat: .googleJSON, immediate: { _, _ in Response() })
            })
        for (path, route, parameters) in [
            ("/p/x/q", "/{a}/x/{b}", ["a": "p", "b": "q"]), ("/p:end/x/q", "/{a}:end/x/{c}", ["a": "p", "c": "q"]),
            ("/p:long:end/x/q", "/{a}:long:end/x/{d}", ["a": "p", "d": "q"]), ("/fixed/x/y", "/fixed/x/y", [:]),
            ("/fixed/x/z", "/fixed/{e}/z", ["e": "x"]), ("/fixed/x/q", "/{a}/x/{b}", ["a": "fixed", "b": "q"]),
            (":end/x/q", nil, nil), ("/:end/x/q", "/{a}/x/{b}", ["a": ":end", "b": "q"]), ("/p/x/q/", nil, nil), ("/p/x", nil, nil),
        ] as [(String, String?, PathParameters?)] {
            guard case .found(let handler, let found) = router.match(.get, path) else {
                #expect(route == nil, "\(path)")
                continue
            }
            #expect(handler.route.path == route && found == parameters, "\(path)")
        }
    }

    @Test func `gives what stands in the braces`() {
        #expect(found(.get, "/demo/oauth2/jwks")?.parameters == ["project": "demo"])
        #expect(found(.get, "/__/auth/handler/oidc.demo")?.parameters == ["provider": "oidc.demo"])
    }

    @Test func `answers HEAD where it answers GET`() {
        #expect(found(.head, "/demo/oauth2/jwks") != nil)
    }

    @Test(arguments: [
        "/v1/accounts:lookup/", "/V1/accounts:lookup", "//oauth2/jwks", "/demo/oauth2/jwks/x", "/example.com/v1/accounts:lookup",
    ])
    func `SEC-09 finds nothing at any other path`(path: String) {
        #expect(found(.post, path) == nil)
        #expect(found(.get, path) == nil)
    }

    @Test(arguments: [
        "/identitytoolkit.googleapis.com/metrics", "/securetoken.googleapis.com/metrics", "/www.googleapis.com/metrics",
        "/identitytoolkit.googleapis.com/health/live", "/www.googleapis.com/health/ready", "/identitytoolkit.googleapis.com/",
        "/identitytoolkit.googleapis.com/v1/token", "/securetoken.googleapis.com/v1/accounts:lookup",
        "/www.googleapis.com/__/auth/handler/a", "/www.googleapis.com/v1/token", "/identitytoolkit.googleapis.com/demo/oauth2/jwks",
        "/securetoken.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
    ])
    func `leads behind a Google host's name to the calls of that host alone`(path: String) {
        #expect(found(.get, path) == nil)
        #expect(found(.post, path) == nil)
    }

    @Test func `finds the calls of a host behind its name`() {
        #expect(found(.post, "/securetoken.googleapis.com/v1/token")?.path == "/v1/token")
        #expect(found(.get, "/metrics")?.path == "/metrics")
    }

    @Test func `knows a path that answers other methods`() {
        guard case .otherMethods(let methods, _) = router.match(.get, "/v1/accounts:lookup") else { return #expect(Bool(false)) }
        #expect(methods == [.post])
    }
}

extension Handler {
    /// A call without a description.
    fileprivate convenience init(
        route: Route, errorFormat: ErrorFormat, immediate: @escaping @Sendable (Request, Context) throws -> Response
    ) {
        self.init(
            route: route, errorFormat: errorFormat, named: route.path, content: { CallContent(answers: []) }, immediate: immediate)
    }
}
