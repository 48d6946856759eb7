import Config
import Logging
import Runtime
import Synchronization
import TestKit
import Testing

@testable import Accounts
import Text

/// Tests what a project file may say about limits, and what operators learn about refusals.
@Suite struct LimitsTests {
    private func reading(_ yaml: String, development: Bool = false) throws -> (limits: Limits, faults: [String]) {
        let folder = try TestFolder(["p.yaml": yaml])
        let faults = Faults()
        let file = ConfigFile.read("\(folder.path)/p.yaml", environment: [:], faults: faults)
        let limits = Limits(file.section("limits"), development: development)
        return (limits, faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) })
    }

    @Test func `keeps the table where the file says nothing`() throws {
        let (limits, faults) = try reading("limits:\n  signUp: {perProject: 5 per 1d}\n")
        #expect(faults.isEmpty)
        #expect(limits[.signUp, .project] == Rate(5, per: .seconds(86400)))
        #expect(limits[.signUp, .address] == Rate(100, per: .seconds(3600)))
        #expect(limits[.password, .account] == Rate(40, per: .seconds(3600)))
        #expect(limits[.deleteAccount, .account] == nil)
    }

    @Test func `has no limit in development mode but those that the file sets`() throws {
        #expect(try LimitedAction.allCases.allSatisfy { try reading("", development: true).limits.limits(of: $0).isEmpty })
        let (limits, faults) = try reading("limits:\n  signUp: {perProject: 5 per 1d}\n", development: true)
        #expect(faults.isEmpty)
        #expect(limits.limits(of: .signUp).map(\.scope) == [.project])
        #expect(limits.limits(of: .password).isEmpty)
    }

    @Test func `has the whole table in development mode once it is switched on`() throws {
        let (limits, faults) = try reading("limits:\n  defaults: true\n  signUp: {perProject: 5 per 1d}\n", development: true)
        #expect(faults.isEmpty)
        #expect(limits.limits(of: .signUp).map(\.scope) == [.address, .project])
        #expect(limits[.password, .account] == Rate(40, per: .seconds(3600)))
    }

    @Test func `cannot switch the table off in production`() throws {
        let (_, faults) = try reading("limits:\n  defaults: false\n")
        #expect(faults.count == 1)
        #expect(faults.first?.contains("can be false only in development mode") == true, "\(faults)")
    }

    @Test func `takes a limit away by the word none`() throws {
        let (limits, faults) = try reading("limits:\n  password: {perAddress: none}\n")
        #expect(faults.isEmpty)
        #expect(limits.limits(of: .password).map(\.scope) == [.accountAndAddress, .account])
    }

    @Test(arguments: [
        ("signUp: {perAddress: 5}", "limits.signUp.perAddress: expected a rate such as 60 per 10m"),
        ("signUp: {perAdress: 5 per 1h}", "unknown key; did you mean \"perAddress\"?"),
        ("signup: {perAddress: 5 per 1h}", "unknown key; did you mean \"signUp\"?"),
        ("deleteAccount: {perProject: 5 per 1h}", "limits.deleteAccount.perProject: unknown key"),
    ])
    func `says what is wrong with an entry`(entry: String, message: String) throws {
        let (_, faults) = try reading("limits:\n  \(entry)\n")
        #expect(faults.count == 1)
        #expect(faults.first?.contains(message) == true, "\(faults)")
    }

    /// Without any configuration, every action has a limit.
    @Test(arguments: LimitedAction.allCases)
    func `limits every action unless told otherwise`(action: LimitedAction) {
        #expect(!Limits().limits(of: action).isEmpty)
    }

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
