import Config
import TestKit
import Testing

@testable import ProjectSettings

/// What a project file may say of limits.
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
}
