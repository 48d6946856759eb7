import Config
import Crypto
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import ProjectSettings

/// The section `migration` of a project's file.
@Suite struct FirebaseMigrationTests {
    private static let keyFile: JSON.Object = [
        "type": "service_account", "client_email": "m@acme-prod.iam.gserviceaccount.com", "private_key_id": "k1",
    ]
    private static let entry = """
        projectId: acme-prod
        projectNumber: 100200300400
        serviceAccount: {file: google.json}
        apiKey: {env: GOOGLE_KEY}
        until: 2027-03-01
        """

    private func read(
        _ entry: String = entry, file: JSON.Object = [:], at now: Instant = FakeIssuer.now
    ) throws -> (migration: FirebaseMigration?, faults: [String], notes: [String]) {
        let key = Self.keyFile.merging(["private_key": .string(try FakeKey.rsa().key.pem)]).merging(file)
        let folder = try TestFolder(["acme.yaml": entry, "google.json": JSON.object(key).text()])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/acme.yaml", environment: ["GOOGLE_KEY": "AIza"], faults: faults)
        let migration = FirebaseMigration(section, now: now)
        let told = { (all: [Fault]) in all.map { "\($0.path): \($0.message)" } }
        return (migration, told(faults.all), told(faults.notes).filter { !$0.contains("chmod") })
    }

    @Test func `reads the Firebase project, and when its time is over`() throws {
        let (entry, faults, notes) = try read()
        let migration = try #require(entry)
        #expect(faults == [] && notes == [])
        #expect(migration.projectID == "acme-prod" && migration.projectNumber == 100_200_300_400 && migration.sessions)
        #expect(migration.passwords == .off)
        #expect(try read(Self.entry + "\npasswords: always").migration?.passwords == .always)
        // An upgrade of the server must not ask Google anything that the operator has not asked for.
        #expect(migration.unknownUsers == .refuse)
        #expect(try read(Self.entry + "\nunknownUsers: import").migration?.unknownUsers == .import)
        #expect(migration.issuer == "https://securetoken.google.com/acme-prod")
        #expect(migration.serviceAccount.email == "m@acme-prod.iam.gserviceaccount.com" && migration.apiKey.reveal() == "AIza")
        var project = ProjectSettings(id: "acme", number: 7, apiKeys: ["k"], authorizedDomains: [], redirectURLs: [])
        project.firebaseMigration = migration
        let until = try #require(Instant(utc: "2027-03-01"))
        #expect(project.openMigration(at: until - .microseconds(1)) != nil && project.openMigration(at: until) == nil)
    }

    @Test func `says what is missing`() throws {
        let (migration, faults, _) = try read("sessions: false")
        #expect(migration == nil)
        #expect(faults.map { $0.prefix { $0 != ":" } } == ["projectId", "projectNumber", "serviceAccount", "apiKey", "until"])
    }

    @Test(
        arguments: [
            (["type": "authorized_user"], "is not the key file of a service account"),
            (["client_email": .integer(1)], "without client_email"), (["private_key_id": ""], "without client_email"),
            (["private_key": "no key"], "not an RSA key"),
        ] as [(JSON.Object, String)])
    func `refuses a file that is not the key of a service account`(file: JSON.Object, reason: String) throws {
        let (migration, faults, _) = try read(file: file)
        #expect(migration == nil && faults.count == 1 && faults[0].hasPrefix("serviceAccount: ") && faults[0].contains(reason))
    }

    @Test func `SEC-58 tells the operator to clean up at Google when the time is over`() throws {
        let (migration, faults, notes) = try read(at: try #require(Instant(utc: "2027-03-02")))
        #expect(migration != nil && faults == [])
        #expect(notes.count == 1 && notes[0].contains("delete the API key and the key of m@acme-prod.iam.gserviceaccount.com at Google"))
    }
}
