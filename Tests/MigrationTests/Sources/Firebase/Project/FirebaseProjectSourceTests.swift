import Accounts
import JSON
import Runtime
import Synchronization
import Testing
import Text

@testable import Migration

/// Pages of accounts as Google gives them, and the attempts to get them.
struct FirebaseProjectSourceTests {
    private static let first = "/accounts:batchGet?maxResults=1000"
    private static let second = "/accounts:batchGet?maxResults=1000&nextPageToken=a%2Fb"

    private func read(_ google: GoogleDouble, keep: FirebaseProjectSource.Keep? = nil) async throws -> ([SourceEntry], [String: Int]) {
        var source = FirebaseProjectSource(google.calls, google.attempts, hashes: nil, keep: keep)
        var entries: [SourceEntry] = []
        while let entry = try await source.next() { entries.append(entry) }
        return (entries, source.losses.counts)
    }

    private func uids(_ entries: [SourceEntry]) -> [String] {
        entries.compactMap { if case .account(let account) = $0 { "\(account.place) \(account.id)" } else { nil } }
    }

    @Test func `reads page after page, also one without accounts, and counts accounts through`() async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["users": [["localId": "ada"], ["localId": "bob"]], "nextPageToken": "a/b"])
        google.answer(Self.second, ["kind": "identitytoolkit#DownloadAccountResponse", "nextPageToken": "c"])
        google.answer("/accounts:batchGet?maxResults=1000&nextPageToken=c", ["users": [["localId": "eve"]]])
        #expect(uids(try await read(google).0) == ["1 ada", "2 bob", "3 eve"])
        #expect(google.pauses.isEmpty)
    }

    @Test func `a project without accounts is an empty source`() async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["kind": "identitytoolkit#DownloadAccountResponse"])
        #expect(try await read(google).0.isEmpty)
    }

    @Test func `accounts of tenants are left out and counted, and what is not an account is a fault`() async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["users": [["localId": "ada", "tenantId": "t"], 7, ["email": "x@example.com"]]])
        let (entries, losses) = try await read(google)
        #expect(entries.first == .skipped && losses == ["account of a tenant: it is left out": 1])
        let codes = entries.compactMap { if case .fault(let fault) = $0 { "\(fault.place) \(fault.code)" } else { nil } }
        #expect(codes == ["2 malformed", "3 invalidID"])
    }

    @Test func `gives away the bytes of each page`() async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["users": [["localId": "ada", "passwordHash": "UkVEQUNURUQ="]]])
        let kept = Mutex<[String]>([])
        _ = try await read(google) { page in kept.withLock { $0.append(String(decoding: page, as: UTF8.self)) } }
        #expect(kept.withLock { $0 } == [#"{"users":[{"localId":"ada","passwordHash":"UkVEQUNURUQ="}]}"#])
    }

    @Test func `tries again after pauses that grow, while Google cannot answer`() async throws {
        let google = try GoogleDouble()
        let error: JSON = ["error": ["message": "QUOTA_EXCEEDED : Exceeded quota"]]
        google.answer(Self.first, inTurn: [(429, [:]), (503, [:]), (400, error), (200, ["users": [["localId": "ada"]]])])
        #expect(uids(try await read(google).0) == ["1 ada"])
        #expect(google.pauses == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test func `gives up after the last pause, and says how to go on`() async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["users": [["localId": "ada"]], "nextPageToken": "a/b"])
        google.refuse(Self.second, 500)
        let failure = await #expect(throws: SourceFailure.self) { try await read(google) }
        #expect(google.pauses == GoogleAttempts.pauses && google.count(Self.second) == GoogleAttempts.pauses.count + 1)
        let text = try #require(failure).description
        #expect(text.contains("after 1 accounts and 8 attempts. Run the same command again"))
        #expect(failure?.isCut == false)
    }

    @Test(arguments: [
        (403, "The caller does not have permission", "m@acme-prod.iam.gserviceaccount.com needs the role Firebase Authentication Admin"),
        (404, "Project not found", "answered 404"), (400, "INVALID_PROJECT_ID", "INVALID_PROJECT_ID"),
    ])
    func `a refusal is final`(status: Int, message: String, told: String) async throws {
        let google = try GoogleDouble()
        google.refuse(Self.first, status, .string(message))
        let failure = await #expect(throws: SourceFailure.self) { try await read(google) }
        #expect(try #require(failure).description.contains(told))
        #expect(google.pauses.isEmpty)
    }

    @Test(arguments: [
        (#"{"users":{"a":1}}"#, "is not one"), (#"{"users":[{"localId":"eve"}],"nextPageToken":"a/b"}"#, "the same page"),
    ])
    func `ends at an answer that leads nowhere`(answer: String, told: String) async throws {
        let google = try GoogleDouble()
        google.answer(Self.first, ["users": [["localId": "ada"]], "nextPageToken": "a/b"])
        google.answer(Self.second, try JSON.parse(answer))
        let failure = await #expect(throws: SourceFailure.self) { try await read(google) }
        #expect(try #require(failure).description.contains(told))
    }
}
