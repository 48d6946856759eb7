import Accounts
import HTTP
import Projects
import Text
import Web

/// `DELETE /emulator/v1/projects/{project}/accounts`: removes all accounts of a project and everything that belongs to them.
struct DeleteAllAccounts: Endpoint {
    static let route = Context.emulated(.delete, "accounts")

    struct Input: Decodable {}
    struct Output: Codable {}

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        try await context.services.accounts.deletion.deleteAll(by: context.emulatorOwner(of: context.emulatedRealm()))
        return Output()
    }
}
