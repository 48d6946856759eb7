import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:batchDelete`: removes up to a thousand accounts at once.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchDelete>
struct DeleteAccounts: AdministratorEndpoint {
    static let route = Route.administrator(.post, "/v1/projects/{project}/accounts:batchDelete", right: .manageUsers)

    struct Input: Decodable {
        var localIds: [UTF8Text]?
        /// Whether accounts that are not disabled are removed, too.
        var force: Bool?
    }

    struct Output: Codable {
        /// The accounts that stay. One that is not there is not among them.
        var errors: [Remaining]?

        struct Remaining: Codable {
            var index: Int
            var localId: String
            var message: String
        }
    }

    private static let most = 1000

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        let ids = input.localIds ?? []
        guard (1...Self.most).contains(ids.count) else { throw Failure.tooManyLocalIDs }
        let remaining = try await context.services.accounts.deletion.deleteAll(
            of: AdministratorField.ids(ids), enabledToo: input.force ?? false, by: administrator)
        let errors = ids.enumerated().filter { remaining.contains($0.element) }.map {
            Output.Remaining(index: $0.offset, localId: $0.element.asString, message: Failure.notDisabled.message)
        }
        return Output(errors: errors.isEmpty ? nil : errors)
    }
}
