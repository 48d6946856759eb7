@testable import Accounts
import ProjectSettings

extension Attempt {
    init(_ action: LimitedAction, from address: String, email: String? = nil, accountID: String? = nil, in project: ProjectSettings) {
        let client = Session.ClientInfo(userAgent: nil, address: address)
        self.init(action, from: client, email: email, accountID: accountID, in: project)
    }
}

extension Fixture {
    /// A fixture with limits that a test can count to.
    static func limited(_ change: (inout Limits) -> Void) async throws -> Fixture {
        var fixture = try await Fixture()
        change(&fixture.project.limits)
        return fixture
    }

    func limitedAttempt(
        _ action: LimitedAction = .password, from address: String = "192.0.2.1", email: String? = "ada@example.com"
    ) -> Attempt { Attempt(action, from: address, email: email, in: project) }

    /// The limit that refused the attempt; `nil` when it was admitted.
    func outcome(_ attempt: Attempt) async throws -> LimitScope? {
        do {
            try await accounts.limits.charge(attempt)
            return nil
        } catch AccountError.tooManyAttempts(attempt.action, let scope) {
            return scope
        } catch AccountError.quotaExceeded(attempt.action) {
            return .project
        }
    }
}
