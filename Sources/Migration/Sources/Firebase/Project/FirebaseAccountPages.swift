import HTTP
import JSON
import ProjectSettings
import Text

/// The accounts of a Firebase project, a thousand at a time, as `accounts:batchGet` gives them.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet>
struct FirebaseAccountPages {
    /// The most that Google gives in one answer.
    private static let length: UTF8Text = "1000"
    /// Google reads a page in a second or two, and in more when it is busy.
    private static let timeout: Duration = .seconds(60)
    /// A thousand accounts with everything that an account may have.
    private static let mostBytes = 64 << 20

    private let calls: GoogleCalls
    private let attempts: GoogleAttempts
    private let realm: FirebaseRealm
    private var next: UTF8Text?
    private var isAtEnd = false
    /// How many accounts the pages so far had.
    private var count = 0

    init(_ calls: GoogleCalls, _ attempts: GoogleAttempts, tenant: String?) {
        (self.calls, self.attempts) = (calls, attempts)
        realm = FirebaseRealm(projectID: calls.projectID, tenant: tenant)
    }

    /// The next page and the bytes of Google's answer; `nil` at the end. A page may be empty.
    mutating func page() async throws(SourceFailure) -> (users: [JSON], bytes: [UInt8])? {
        if isAtEnd { return nil }
        let query: Form = next.map { ["maxResults": Self.length, "nextPageToken": $0] } ?? ["maxResults": Self.length]
        let path = "\(realm.accounts)/accounts:batchGet?\(query.encoded())"
        let answer: (json: JSON, bytes: [UInt8])
        do throws(GoogleFailure) {
            answer = try await attempts { [calls] () async throws(GoogleFailure) in
                try await calls.success(.get, path, "list of accounts", timeout: Self.timeout, longest: Self.mostBytes)
            }
        } catch { throw failure(error) }
        let following = answer.json["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        guard following == nil || following != next else { throw SourceFailure("Google gives the same page of accounts again and again") }
        (next, isAtEnd) = (following, following == nil)
        let users = answer.json["users"]
        guard users?.isNull ?? true || users?.array != nil else { throw SourceFailure("Google's list of accounts is not one") }
        count += users?.array?.count ?? 0
        return (users?.array ?? [], answer.bytes)
    }

    private func failure(_ failure: GoogleFailure) -> SourceFailure {
        switch failure {
        case .forbidden:
            SourceFailure(
                "\(failure). The service account \(calls.account.email) needs the role Firebase Authentication Admin in the project "
                    + calls.projectID)
        case .refused, .blocked, .misconfigured: SourceFailure("\(failure)")
        case .unavailable:
            SourceFailure(
                "\(failure), after \(count) accounts and \(GoogleAttempts.pauses.count + 1) attempts. Run the same command again: it goes "
                    + "on where this one stopped, since accounts that are stored and have not changed are passed over")
        }
    }
}
