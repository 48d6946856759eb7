import Accounts
import HTTP
import Projects
import TestApp
import TestKit
import Testing
import Text
import Web

@testable import Console

/// The sign-ins at the provider that a browser has begun in several tabs, and the sessions that they end.
@Suite(.takesTurns) struct BegunSignInsTests {
    private static let site = Site(publicURL: "https://console.example.com", development: false)
    private static let session = HostCookie("gatehouse_console", at: site, sameSite: .strict)

    /// A browser's cookies by their names.
    private struct Jar {
        var cookies: [(name: String, value: String)] = []

        mutating func take(_ headers: [String]) {
            for header in headers {
                let parts = header.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let (name, value) = (String(parts[0]), String(parts[1]))
                if header.contains("Max-Age=0") {
                    cookies.removeAll { $0.name == name }
                } else if let index = cookies.firstIndex(where: { $0.name == name }) {
                    cookies[index].value = value
                } else {
                    cookies.append((name, value))
                }
            }
        }

        /// - Parameter strict: whether the request comes from the console's own pages.
        func request(strict: Bool) -> Request {
            let sent = cookies.filter { strict || $0.name != "__Host-gatehouse_console" }.map { "\($0.name)=\($0.value)" }
            return Request(method: .get, path: "/", headers: ["cookie": sent.joined(separator: "; ")])
        }
    }

    private func operators() async throws -> OperatorRules { try await TestApp(server: ConsoleBrowser.settings).accounts.operators }

    private func begun(_ jar: Jar, _ flows: OperatorFlows, strict: Bool) -> BegunSignIns {
        BegunSignIns(in: jar.request(strict: strict), at: Self.site, session: Self.session, flows)
    }

    private func begin(_ jar: inout Jar, _ flows: OperatorFlows, strict: Bool = true) throws -> OperatorFlows.Flow {
        let request = jar.request(strict: strict)
        let flow = flows.begin(next: "/", replacing: Self.session.value(in: request), asking: [:])
        jar.take(try BegunSignIns(in: request, at: Self.site, session: Self.session, flows).set(flow))
        return flow
    }

    /// A sign-in that returns from the provider, which brings no session's cookie.
    private func comeBack(_ jar: inout Jar, _ flow: OperatorFlows.Flow, _ operators: OperatorRules) async throws -> OperatorSession? {
        let begun = begun(jar, operators.flows, strict: false)
        guard let found = begun.flow(of: UTF8Text(flow.state)) else { return nil }
        let session = try await operators.sessions.begin(
            "admin", OperatorPerson(issuer: "https://staff.example.com", subject: "s-admin"), replacing: begun.formerSessions,
            from: Session.ClientInfo(userAgent: nil, address: "203.0.113.9"))
        jar.take(try begun.headers(forNew: session, ending: found.state))
        jar.take([Self.session.set(session.cookie, for: .seconds(60))])
        return session
    }

    private func lives(_ session: OperatorSession, _ operators: OperatorRules) async throws -> Bool {
        try await operators.sessions.find(
            UTF8Text(session.cookie), from: Session.ClientInfo(userAgent: nil, address: "203.0.113.9")) != nil
    }

    @Test func `a sign-in ends the session that the browser had, though its return does not bring the cookie`() async throws {
        let operators = try await operators()
        var jar = Jar()
        let before = try begin(&jar, operators.flows)
        let first = try #require(try await comeBack(&jar, before, operators))
        #expect(try await comeBack(&jar, before, operators) == nil)
        let again = try begin(&jar, operators.flows)
        let second = try #require(try await comeBack(&jar, again, operators))
        #expect(try await !lives(first, operators))
        #expect(try await lives(second, operators))
    }

    @Test func `two tabs both end well, and one session is left`() async throws {
        let operators = try await operators()
        var jar = Jar()
        let (one, two) = (try begin(&jar, operators.flows), try begin(&jar, operators.flows))
        #expect(jar.cookies.count == 2)
        let first = try #require(try await comeBack(&jar, two, operators))
        let second = try #require(try await comeBack(&jar, one, operators))
        #expect(try await !lives(first, operators))
        #expect(try await lives(second, operators))
        #expect(jar.cookies.map(\.name) == ["__Host-gatehouse_console"])
    }

    @Test func `SEC-64 a start that another site forged ends no session`() async throws {
        let operators = try await operators()
        var jar = Jar()
        let session = try #require(try await comeBack(&jar, try begin(&jar, operators.flows), operators))
        let forged = try begin(&jar, operators.flows, strict: false)
        #expect(forged.formerSession == nil && begun(jar, operators.flows, strict: false).formerSessions.isEmpty)
        #expect(try await lives(session, operators))
        // A flow that another browser has begun is none of this one.
        var other = Jar()
        let foreign = try begin(&other, operators.flows)
        #expect(try await comeBack(&jar, foreign, operators) == nil)
        #expect(try await lives(session, operators))
    }

    @Test func `a browser keeps five, and the newest`() async throws {
        let operators = try await operators()
        var jar = Jar()
        let flows = try (0..<7).map { _ in try begin(&jar, operators.flows) }
        #expect(jar.cookies.count == 5)
        let begun = begun(jar, operators.flows, strict: false)
        #expect(flows.map { begun.flow(of: UTF8Text($0.state)) != nil } == [false, false, true, true, true, true, true])
        #expect(begun.clear(UTF8Text(flows[6].state)).hasPrefix((jar.cookies.last?.name ?? "-") + "=;"))
    }
}
