import Config
import TestKit
import Testing

@testable import ProjectSettings

/// What a project's file may say of phone numbers.
@Suite struct PhoneTests {
    private func read(_ yaml: String, development: Bool = false) throws -> (phone: ProjectSettings.Phone, faults: [String]) {
        let folder = try TestFolder(["p.yaml": yaml])
        let faults = Faults()
        let file = ConfigFile.read("\(folder.path)/p.yaml", environment: ["S": "secret"], faults: faults)
        let phone = ProjectSettings.Phone(file.section("phone"), development: development)
        return (phone, faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) })
    }

    private func notes(_ yaml: String) throws -> [String] {
        let folder = try TestFolder(["p.yaml": yaml])
        let faults = Faults()
        let file = ConfigFile.read("\(folder.path)/p.yaml", environment: ["S": "secret"], faults: faults)
        _ = ProjectSettings.Phone(file.section("phone"), development: false)
        return faults.notes.map(\.description)
    }

    private static let vonage = "transport: {vonage: {apiKey: k, secret: {env: S}, from: Acme}}"

    @Test func `sends nothing where the file says nothing`() throws {
        let (phone, faults) = try read("x: 1")
        #expect(faults.isEmpty)
        #expect(!phone.enabled && phone.transport == nil && phone.testNumbers.isEmpty && !phone.sends(to: "DE"))
    }

    @Test func `sends to the regions of the file, if it names a way to send`() throws {
        let (phone, faults) = try read("phone: {enabled: true, regions: [DE, AT], \(Self.vonage)}")
        #expect(faults.isEmpty)
        #expect(phone.enabled && phone.sends(to: "DE") && phone.sends(to: "AT") && !phone.sends(to: "FR") && !phone.sends(to: "ZZ"))
        let everywhere = try read("phone: {enabled: true, regions: ['*'], \(Self.vonage)}").phone
        #expect(everywhere.sends(to: "FR") && everywhere.sends(to: "ZZ"))
        #expect(!(try read("phone: {enabled: true, \(Self.vonage)}").phone.sends(to: "DE")))
    }

    @Test func `writes messages into the log in development mode`() throws {
        let development = try read("phone: {enabled: true, regions: ['*']}", development: true).phone
        #expect(development.sends(to: "DE") && development.sendsMessages && !development.pausesRegions)
        let (phone, faults) = try read("phone: {enabled: true, regions: [DE]}")
        #expect(!phone.sends(to: "DE") && !phone.sendsMessages && phone.pausesRegions)
        #expect(faults.count == 1 && faults[0].contains("phone.regions: names regions, but nothing can be sent there"))
    }

    @Test(arguments: [
        ("{regions: [de]}", "phone.regions[0]: expected a region"), ("{regions: [XX]}", "phone.regions[0]"),
        ("{regions: [ZZ]}", "phone.regions[0]"),
        ("{testNumbers: {\"+16505550101\": \"12345\"}}", "is not six digits"),
        ("{testNumbers: {\"+16505550101\": abcdef}}", "is not six digits"),
        ("{testNumbers: {\"6505550101\": \"123456\"}}", "is not a number such as"), ("{testnumbers: {}}", "unknown key"),
        ("{enabled: yes}", "expected true or false"), ("{transport: {log: {}}}", "is for development mode alone"),
        ("{transport: {carrier: {}}}", "unknown key"),
    ])
    func `names what is wrong`(yaml: String, fault: String) throws {
        let faults = try read("phone: \(yaml)").faults
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test(arguments: [
        ("phone: {enabled: true}", "phone.enabled: lets no person sign in"),
        ("phone: {captcha: {required: false}}", "phone.captcha.required: lets any program ask"),
        ("phone: {\(vonage)}", "phone.transport: is never used"), ("phone: {testNumbers: {\"+16505550101\": \"123456\"}}", "1 of them"),
    ])
    func `notes what has no effect, or is not safe`(yaml: String, note: String) throws {
        #expect(try self.notes(yaml).contains { $0.contains(note) })
    }

    @Test func `SEC-29 takes ten test numbers at most`() throws {
        func numbers(_ count: Int) -> String {
            (0..<count).map { "\"+1650555\(1000 + $0)\": \"123456\"" }.joined(separator: ", ")
        }
        let (phone, faults) = try read("phone: {enabled: true, testNumbers: {\(numbers(10))}}")
        #expect(faults.isEmpty && phone.testNumbers.count == 10)
        #expect(try read("phone: {testNumbers: {\(numbers(11))}}").faults.contains { $0.contains("more than 10") })
    }
}
