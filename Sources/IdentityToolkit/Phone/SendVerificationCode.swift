import Accounts
import Captcha
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:sendVerificationCode`: sends a code to a phone, for a sign-in or for the number of an account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendVerificationCode>
///
/// The answer is the same whether any account has the number or not.
struct SendVerificationCode: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:sendVerificationCode", v3: "sendVerificationCode")

    typealias Input = PhoneInfo
    typealias Output = PhoneSessionInfo

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.phone.enabled else {
            throw project.tenant == nil ? Failure.operationNotAllowed() : .unsupportedTenantOperation
        }
        guard let text = input.phoneNumber, !text.isEmpty else { throw Failure.missingPhoneNumber }
        let destination = try PhoneDestination(text, in: project)
        return try await input.send(.signIn(to: destination), for: .sendVerificationCode, context)
    }
}

/// For an Android app that reads the message by itself.
struct AutoRetrievalInfo: Decodable {
    var appSignatureHash: UTF8Text?
}

/// The eleven characters by which Android finds the app that a message is for.
enum AppSignatureHash {
    /// `nil` for an empty text. Throws `INVALID_ARGUMENT` for another one: what a caller wrote must not get into a message to a stranger.
    static func reading(_ text: UTF8Text) throws -> String? {
        guard !text.isEmpty else { return nil }
        let isHash =
            text.utf8.count == 11
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "+")
                    || byte == UInt8(ascii: "/")
            }
        guard isHash else { throw Failure.invalidAppSignatureHash }
        return text.asString
    }
}
