import Config
import Crypto
import JSON
import TestKit
import Testing
import Text

@testable import ProjectSettings

/// The section `firestore` of a project's file.
@Suite struct FirestoreAccessTests {
    private static let entry = """
        projectId: acme-prod
        serviceAccount: {file: signer.json}
        administrator: {file: administrator.json}
        """

    private func read(
        _ entry: String = entry, signer: String = "signer@acme-prod.iam.gserviceaccount.com"
    ) throws -> (access: FirestoreAccess?, faults: [String], notes: [String]) {
        let pem = try FakeKey.rsa().key.pem
        func file(_ email: String, _ id: String) -> String {
            let key: JSON = [
                "type": "service_account", "client_email": .string(email), "private_key_id": .string(id), "private_key": .string(pem),
            ]
            return key.text()
        }
        let folder = try TestFolder([
            "acme.yaml": entry, "signer.json": file(signer, "k1"),
            "administrator.json": file("administrator@acme-prod.iam.gserviceaccount.com", "k2"),
        ])
        let faults = Faults()
        let access = FirestoreAccess(ConfigFile.read("\(folder.path)/acme.yaml", environment: [:], faults: faults))
        let told = { (all: [Fault]) in all.map { "\($0.path): \($0.message)" } }
        return (access, told(faults.all), told(faults.notes).filter { !$0.contains("chmod") })
    }

    @Test func `reads the Firebase project, its two keys and the claims`() throws {
        let (entry, faults, notes) = try read(Self.entry + "\nclaims: [role, gh_mfa]")
        let access = try #require(entry)
        #expect(faults == [] && notes == [])
        #expect(access.projectID == "acme-prod" && access.claims == ["role", "gh_mfa"])
        #expect(access.signer.keyID == "k1" && access.administrator.keyID == "k2")
        #expect(try read().access?.claims == [])
    }

    @Test func `says what is missing, and what is lost without the administrator's key`() throws {
        let (access, faults, _) = try read("claims: role")
        #expect(access == nil)
        #expect(faults.map { $0.prefix { $0 != ":" } } == ["projectId", "serviceAccount", "administrator"])
        #expect(faults[2].contains("would keep Google's session"))
    }

    @Test(arguments: [
        ("claims: [role, sub]", "sub is a name that Google allows in no custom token"), ("claims: firebase", "firebase is a name"),
        ("claims: [role, role]", "role twice"), ("claims: ['']", "an empty name"), ("claims: {role: true}", "expected a list"),
    ])
    func `refuses claims that no token can have`(claims: String, reason: String) throws {
        let (_, faults, _) = try read("\(Self.entry)\n\(claims)")
        #expect(faults.count == 1 && faults[0].hasPrefix("claims: ") && faults[0].contains(reason))
    }

    @Test(arguments: [
        ("administrator@acme-prod.iam.gserviceaccount.com", "which is also administrator"),
        ("firebase-adminsdk-x1@acme-prod.iam.gserviceaccount.com", "which Google made for administrators of all data"),
        ("signer@acme-test.iam.gserviceaccount.com", "of the project acme-test"),
    ])
    func `SEC-58 warns of a signer that can do more than sign, or whose tokens Firebase does not take`(email: String, reason: String) throws
    {
        let (access, faults, notes) = try read(signer: email)
        #expect(access != nil && faults == [])
        #expect(notes.count == 1 && notes[0].hasPrefix("serviceAccount: ") && notes[0].contains(reason))
    }

    @Test func `takes a signer that Google made by itself`() throws {
        #expect(try read(signer: "acme-prod@appspot.gserviceaccount.com").notes == [])
    }
}
