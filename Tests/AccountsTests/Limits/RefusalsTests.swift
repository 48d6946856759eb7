import Logging
import ProjectSettings
import Runtime
import Synchronization
import Testing

@testable import Accounts
import Text

/// What operators are told of refusals.
@Suite struct RefusalsTests {
    @Test func `tells of a bucket once a minute, of many buckets thirty times, and counts them all`() {
        let lines = Lines()
        let metrics = Metrics()
        let refusals = Refusals(metrics: metrics, log: lines.logger)
        let project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        func refuse(_ address: String, at now: Instant) {
            let attempt = Attempt(.signUp, from: address, in: project)
            refusals.note(attempt, attempt.charges[0], at: now)
        }
        let start = Instant(seconds: 1_800_000_000)
        for _ in 0..<5 { refuse("192.0.2.1", at: start) }
        #expect(lines.count == 1)
        #expect(lines.last["address"] == "192.0.2.1")
        #expect(lines.last["by"] == "address")
        refuse("192.0.2.1", at: start + .seconds(59))
        #expect(lines.count == 1)
        refuse("192.0.2.1", at: start + .seconds(60))
        #expect(lines.count == 2)
        for number in 0..<2000 { refuse("2001:db8:0:\(String(number, radix: 16))::", at: start + .seconds(3600)) }
        #expect(lines.count == 32)
        #expect(metrics.text().contains("gatehouse_limited_total{action=\"signUp\",by=\"address\"} 2007\n"))
        #expect(refusals.counts(in: project) == [Refusals.Limit(action: .signUp, scope: .address): 2007])
        let other = ProjectSettings(id: "other", number: 2, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        #expect(refusals.counts(in: other).isEmpty)
    }

    @Test func `forgets buckets that it told of, and keeps counting`() {
        let lines = Lines()
        let refusals = Refusals(metrics: Metrics(), log: lines.logger)
        let project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        // Many more than it remembers, slowly enough that each is logged.
        for number in 0..<1500 {
            let attempt = Attempt(.signUp, from: "\(number)", in: project)
            refusals.note(attempt, attempt.charges[0], at: Instant(seconds: 1_800_000_000 + 2 * Int64(number)))
        }
        #expect(lines.count == 1500)
    }
}

@Suite struct RefusedSignInTests {
    private let project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
    private let hashes = AddressHashes(masterKey: MasterKey(bytes: Array(1...32)))

    private func told(_ error: AccountError, by accountID: String? = nil) -> [String: String] {
        let lines = Lines()
        let refused = RefusedSignIn(
            method: "password", error: error, accountID: accountID, emailHash: hashes.hash(of: "ada@example.com", in: "demo"),
            projectID: "demo",
            client: Session.ClientInfo(userAgent: nil, address: "192.0.2.1", requestID: "0123"))
        Refusals(metrics: Metrics(), log: lines.logger).note(refused, at: Instant(seconds: 1_800_000_000))
        return lines.last
    }

    @Test func `the log says why a sign-in was refused and whose it was, without the address`() {
        let cases: [(error: AccountError, reason: String, account: String)] = [
            (.invalidCredentials(of: nil), "unknownAddress", "-"), (.noSuchEmail, "unknownAddress", "-"),
            (.invalidCredentials(of: "ada"), "wrongPassword", "ada"), (.wrongPassword(of: "ada"), "wrongPassword", "ada"),
            (.accountDisabled, "accountDisabled", "-"),
            (.tooManyAttempts(.password, by: .account), "tooManyAttempts: password perAccount", "-"),
            (.customToken(.invalid("Invalid audience.")), "customToken: Invalid audience.", "-"),
            (.passwordRequirements(["a secret detail"]), "passwordRequirements", "-"),
        ]
        for (error, reason, account) in cases {
            let line = told(error)
            #expect(line["reason"] == reason && line["account"] == account && line["by"] == "password" && line["project"] == "demo")
            #expect(line["id"] == "0123" && line["email_hash"]?.count == 32)
            #expect(!line.values.contains { $0.contains("ada@") || $0.contains("secret") })
        }
    }

    /// Every refusal by a limit is one that can be read, so that the console counts it.
    @Test(arguments: LimitedAction.allCases) func `the code of a refusal names its limit`(action: LimitedAction) {
        func limit(_ error: AccountError) -> Refusals.Limit? {
            let refused = RefusedSignIn(
                method: "password", error: error, accountID: nil, emailHash: nil, projectID: "demo",
                client: Session.ClientInfo(userAgent: nil, address: "192.0.2.1"))
            return Refusals.Limit(code: refused.code)
        }
        for scope in LimitScope.allCases {
            #expect(limit(.tooManyAttempts(action, by: scope)) == Refusals.Limit(action: action, scope: scope))
        }
        #expect(limit(.quotaExceeded(action)) == Refusals.Limit(action: action, scope: .project))
        #expect(limit(.accountDisabled) == nil && limit(.customToken(.invalid("password perAccount"))) == nil)
        for code in ["", "tooManyAttempts:", "tooManyAttempts: nothing perAccount", "tooManyAttempts: password perNothing"] {
            #expect(Refusals.Limit(code: code) == nil)
        }
    }

    @Test func `one reason has the fields of any other, so that no time tells them apart`() {
        #expect(told(.invalidCredentials(of: nil)).keys.sorted() == told(.accountDisabled).keys.sorted())
    }

    @Test func `an address has one hash in a project, another one elsewhere and for another master key`() {
        let own = hashes.hash(of: "ada@example.com", in: "demo")
        #expect(own == hashes.hash(of: "ada@example.com", in: "demo"))
        let others = AddressHashes(masterKey: MasterKey(bytes: Array(2...33), others: [Array(1...32)]))
        #expect(own != hashes.hash(of: "ada@example.com", in: "other") && own != hashes.hash(of: "bob@example.com", in: "demo"))
        #expect(own != others.hash(of: "ada@example.com", in: "demo") && others.all(of: "ada@example.com", in: "demo")[1] == own)
    }

    @Test func `a crowd of refusals leaves room for other lines, and what is left out is counted`() {
        let lines = Lines()
        let refusals = Refusals(metrics: Metrics(), log: lines.logger)
        let refused = RefusedSignIn(
            method: "password", error: .wrongPassword(of: "ada"), accountID: nil, emailHash: nil, projectID: "demo",
            client: Session.ClientInfo(userAgent: nil, address: "::1"))
        let start = Instant(seconds: 1_800_000_000)
        for _ in 0..<7000 { refusals.note(refused, at: start) }
        #expect(lines.count == 6000)
        refusals.note(refused, at: start + .seconds(60))
        #expect(lines.last["omitted"] == "1000" && lines.last["email_hash"] == "-")
    }
}

/// The metadata of each log line.
private final class Lines: Sendable {
    private let kept = Mutex<[Logger.Metadata]>([])
    var count: Int { kept.withLock { $0.count } }
    var last: [String: String] { kept.withLock { $0.last ?? [:] }.mapValues { "\($0)" } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.kept.withLock { $0.append(event.metadata ?? [:]) } }
    }
}
