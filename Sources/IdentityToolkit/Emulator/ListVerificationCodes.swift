import Accounts
import HTTP
import Projects
import Text
import Web

/// `GET /emulator/v1/projects/{project}/verificationCodes`: the codes that were sent to phones, the newest last, for test suites that ask for
/// them. Codes that were used or have expired are left out.
struct ListVerificationCodes: Endpoint {
    static let route = Context.emulated(.get, "verificationCodes")

    struct Input: Decodable {}
    struct Output: Codable {
        var verificationCodes: [Code]
    }

    struct Code: Codable {
        var phoneNumber: String
        var sessionInfo: String
        var code: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try await context.emulatedRealm().settings
        let messages = try await context.services.accounts.phoneCodes.recent(in: project)
        return Output(
            verificationCodes: messages.reversed().map { Code(phoneNumber: $0.to, sessionInfo: $0.session ?? "", code: $0.code) })
    }
}
