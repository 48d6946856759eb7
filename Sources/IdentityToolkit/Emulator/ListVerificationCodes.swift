import HTTP
import Projects
import Text
import Web

/// `GET /emulator/v1/projects/{project}/verificationCodes`: the codes that were sent to phones, for test suites that ask for them. There are
/// none, since no call of this server sends a code to a phone.
struct ListVerificationCodes: Endpoint {
    static let route = Route(.get, "/emulator/v1/projects/{project}/verificationCodes", access: .development)

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
        _ = try context.emulatedProject()
        return Output(verificationCodes: [])
    }
}
