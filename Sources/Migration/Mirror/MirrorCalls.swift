import HTTP
import JSON
import Runtime
import Text

/// The calls that copy accounts to a Firebase project.
struct MirrorCalls {
    let calls: GoogleCalls
    let clock: Clock
    /// When another process may copy the same.
    let deadline: Instant

    /// The most accounts that one look-up is asked for.
    private static let lookedUpAtOnce = 100
    private static let timeout: Duration = .seconds(10)

    /// The records of those of the accounts that Google has, by their ids.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/lookup>
    func records(of ids: [String]) async throws(GoogleFailure) -> [UTF8Text: JSON] {
        var records: [UTF8Text: JSON] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.lookedUpAtOnce) {
            let some = ids[start..<min(start + Self.lookedUpAtOnce, ids.count)]
            let answer = try await call("lookup", ["localId": .array(some.map { .string($0) })], "look-up of accounts")
            for record in answer["users"]?.array ?? [] { if let id = record["localId"]?.string { records[id] = record } }
        }
        return records
    }

    /// Stores whole records in place of those that are there, and gives Google's reason for each that it refuses, by its place.
    /// - Parameter hash: of the records' passwords; `nil` where they have none.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate>
    func replace(_ records: [JSON], _ hash: FirebaseHash?) async throws(GoogleFailure) -> [Int: String] {
        var body: JSON.Object = hash?.uploadParameters ?? [:]
        body["users"] = .array(records)
        // Otherwise two accounts there could have the same address.
        body["sanityCheck"] = true
        body["allowOverwrite"] = true
        return Self.refusals(try await call("batchCreate", .object(body), "import of accounts")["error"])
    }

    func update(_ body: JSON) async throws(GoogleFailure) { _ = try await call("update", body, "update of an account") }

    /// Deletes those of the accounts that are there, and gives Google's reason for each that it does not delete, by its place.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchDelete>
    func delete(_ ids: [String]) async throws(GoogleFailure) -> [Int: String] {
        let body: JSON = ["localIds": .array(ids.map { .string($0) }), "force": true]
        return Self.refusals(try await call("batchDelete", body, "deletion of accounts")["errors"])
    }

    private static func refusals(_ errors: JSON?) -> [Int: String] {
        var refusals: [Int: String] = [:]
        for error in errors?.array ?? [] { refusals[Int(error["index"]?.integer ?? 0)] = error["message"]?.string?.asString ?? "no reason" }
        return refusals
    }

    private func call(_ name: String, _ body: JSON, _ words: String) async throws(GoogleFailure) -> JSON {
        guard clock.now() + Self.timeout < deadline else { throw .unavailable("Google answers too slowly") }
        return try await calls.success(
            .post, "/v1/projects/\(calls.projectID)/accounts:\(name)", words, body, timeout: Self.timeout, longest: 8 << 20
        ).json
    }
}
