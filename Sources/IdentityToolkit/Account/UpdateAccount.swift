import Accounts
import Crypto
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:update`: the caller changes their own account, or a code from a mail confirms, changes or restores an address.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/update>
struct UpdateAccount: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:update", v3: "setAccountInfo")

    struct Input: Decodable {
        var fields: Fields
        var privileged: PrivilegedFields

        struct Fields: Decodable {
            var idToken: UTF8Text?
            var oobCode: UTF8Text?
            var displayName: FieldUpdate<UTF8Text>
            var photoUrl: FieldUpdate<UTF8Text>
            var email: UTF8Text?
            var password: UTF8Text?
            var deleteAttribute: [Attribute]?
            var deleteProvider: [UTF8Text]?
            /// Ids of passkeys, in base64 of any dialect.
            var deletePasskey: [UTF8Text]?
            var disableUser: JSON?
        }

        /// Both sets of fields stand side by side in one object.
        init(from decoder: any Decoder) throws {
            fields = try Fields(from: decoder)
            privileged = try PrivilegedFields(from: decoder)
        }
    }

    enum Attribute: String, WireEnum {
        static let unspecified = "USER_ATTRIBUTE_NAME_UNSPECIFIED"

        case email = "EMAIL"
        case displayName = "DISPLAY_NAME"
        case provider = "PROVIDER"
        case photoURL = "PHOTO_URL"
        case password = "PASSWORD"
        case rawUserInfo = "RAW_USER_INFO"
    }

    struct Output: Codable {
        var kind = "identitytoolkit#SetAccountInfoResponse"
        var localId: String
        var email: String?
        var displayName: String?
        var photoUrl: String?
        /// The new address of the account, when a code from a mail has changed it.
        var newEmail: String?
        var emailVerified: Bool?
        var passwordHash: String?
        /// Always present, even when empty, because the JS SDK reads it after an unlink.
        var providerUserInfo: [UserInfo.Provider]
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let language = try context.language
        if let code = input.fields.oobCode, !code.isEmpty {
            let (action, account) = try await context.services.accounts.codes.apply(
                code.asString, language: language, in: context.project.settings, from: context.clientInfo)
            return Output(account, nil, newEmail: action.kind == .verifyAndChangeEmail ? action.newEmail : nil)
        }
        guard let idToken = input.fields.idToken, !idToken.isEmpty else {
            throw Failure.unsupportedRequestType
        }
        let project = try context.project.settings
        let (account, outcome) = try await context.services.accounts.changes.update(
            idToken.asString, try AccountChange(input, in: project), language: language, in: project, from: context.clientInfo)
        return Output(account, try outcome.map { try IssuedTokens(account, $0, context) })
    }
}

extension UpdateAccount.Output {
    init(_ account: Account, _ tokens: IssuedTokens?, newEmail: String? = nil) {
        self.init(
            localId: account.id, email: account.email, displayName: account.displayName, photoUrl: account.photoURL, newEmail: newEmail,
            emailVerified: account.email == nil ? nil : account.emailVerified,
            passwordHash: account.hasPassword ? UserInfo.redactedHash : nil, providerUserInfo: UserInfo.Provider.all(of: account),
            idToken: tokens?.idToken, refreshToken: tokens?.refreshToken, expiresIn: tokens?.expiresIn)
    }
}

extension AccountChange {
    fileprivate init(_ input: UpdateAccount.Input, in project: ProjectSettings) throws {
        guard input.fields.disableUser == nil else { throw Failure.operationNotAllowed() }
        try input.privileged.refuse()
        let input = input.fields
        self.init()
        displayName = try ProfileField.name(input.displayName)
        photoURL = try ProfileField.photoURL(input.photoUrl)
        email = try input.email.map(EmailAddress.reading)
        if let password = input.password {
            guard project.signIn.password else { throw Failure.passwordsNotAllowed }
            self.password = password.asString
        }
        removed = Set(try (input.deleteAttribute ?? []).map { try $0.removed })
        unlinked = Set((input.deleteProvider ?? []).map(\.asciiLowercased))
        removedPasskeys = Set((input.deletePasskey ?? []).compactMap { Base64.decode($0.asString) })
    }
}

extension UpdateAccount.Attribute {
    /// Throws for what can be removed in another way alone.
    var removed: AccountChange.Attribute {
        get throws {
            switch self {
            case .email: .email
            case .displayName: .displayName
            case .photoURL: .photoURL
            case .password: .password
            case .provider, .rawUserInfo:
                throw Failure.operationNotAllowed("\(rawValue) cannot be deleted; name the provider in deleteProvider.")
            }
        }
    }
}
