import Accounts
import Crypto
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `accounts:update` of administrators: changes any account of the project, also what its person may not change.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/update>
struct UpdateAccountByAdministrator: AdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:update", right: .manageUsers, client: UpdateAccount.route)

    struct Input: Decodable {
        var localId: UTF8Text?
        var displayName: FieldUpdate<UTF8Text>
        var photoUrl: FieldUpdate<UTF8Text>
        var email: UTF8Text?
        var emailVerified: Bool?
        var password: UTF8Text?
        var phoneNumber: UTF8Text?
        var disableUser: Bool?
        /// The text of a JSON object.
        var customAttributes: UTF8Text?
        /// In seconds.
        var validSince: Int64?
        /// In milliseconds.
        var createdAt: Int64?
        var lastLoginAt: Int64?
        var deleteAttribute: [UpdateAccount.Attribute]?
        var deleteProvider: [UTF8Text]?
        var deletePasskey: [UTF8Text]?
        var linkProviderUserInfo: Identity?
        var mfa: Factors?

        struct Identity: Decodable {
            var providerId: UTF8Text?
            var rawId: UTF8Text?
            var email: UTF8Text?
            var displayName: UTF8Text?
            var photoUrl: UTF8Text?
            var screenName: UTF8Text?
        }

        struct Factors: Decodable {
            var enrollments: [AdministratorField.Factor]?
        }
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> UpdateAccount.Output {
        let id = try AdministratorField.id(input.localId)
        let account = try await context.services.accounts.administration.accounts.update(
            id, try AdministratorChange(input), by: administrator)
        return UpdateAccount.Output(account, nil)
    }
}

extension AdministratorChange {
    fileprivate init(_ input: UpdateAccountByAdministrator.Input) throws {
        self.init()
        own.displayName = try ProfileField.name(input.displayName)
        own.photoURL = try ProfileField.photoURL(input.photoUrl)
        own.email = try input.email.map(EmailAddress.reading)
        own.password = input.password?.asString
        own.removed = Set(try (input.deleteAttribute ?? []).map { try $0.removed })
        own.unlinked = Set((input.deleteProvider ?? []).map(\.asciiLowercased))
        own.removedPasskeys = Set((input.deletePasskey ?? []).compactMap { Base64.decode($0.asString) })
        emailVerified = input.emailVerified
        phoneNumber = try AdministratorField.phoneNumber(input.phoneNumber)
        disabled = input.disableUser
        if let text = input.customAttributes { customAttributes = try CustomClaims.checked(text).map(FieldUpdate.set) ?? .clear }
        validSince = try AdministratorField.time(seconds: input.validSince, "validSince")
        createdAt = try AdministratorField.time(milliseconds: input.createdAt, "createdAt")
        lastLoginAt = try AdministratorField.time(milliseconds: input.lastLoginAt, "lastLoginAt")
        linked = try input.linkProviderUserInfo.map(LinkedIdentity.init)
        if let mfa = input.mfa { secondFactors = try AdministratorField.factors(mfa.enrollments ?? []) }
    }
}

extension LinkedIdentity {
    /// The ids that stand for a password, a phone number and so on: they are not providers that an account is linked to.
    private static let reserved: Set<UTF8Text> = ["password", "phone", "anonymous", "custom", "firebase", "email", "emaillink"]
    private static let longestSubject = 255

    /// Lower-case letters, digits, dots, hyphens and underscores, at most 64, a letter or digit first: `google.com`, `oidc.acme`.
    private static func isProviderID(_ text: UTF8Text) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
        guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    fileprivate init(_ input: UpdateAccountByAdministrator.Input.Identity) throws {
        guard let providerID = input.providerId?.asciiLowercased, !providerID.isEmpty else { throw Failure.missingProviderID }
        guard let rawID = input.rawId, !rawID.isEmpty else { throw Failure.missingRawID }
        guard Self.isProviderID(providerID), !Self.reserved.contains(providerID) else {
            throw Failure.invalidProviderID("This name is not that of a provider.")
        }
        guard ProfileText.isFit(rawID.asString, most: Self.longestSubject) else {
            throw Failure.invalidArgument("rawId is longer than \(Self.longestSubject) characters, or holds control characters.")
        }
        self.init(providerID: providerID.asString, subject: rawID.asString)
        email = try input.email.map(EmailAddress.reading)
        displayName = try ProfileField.name(input.displayName)
        screenName = try ProfileField.name(input.screenName)
        if let url = input.photoUrl, case .set(let url) = try ProfileField.photoURL(.set(url)) { photoURL = url }
    }
}
