import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:lookup` of administrators: any accounts of the project, by their ids, addresses, phone numbers and identities.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/lookup>
struct LookupByAdministrator: RawAdministratorEndpoint {
    static let route = Route.administrator(.post, "/v1/projects/{project}/accounts:lookup", right: .readUsers, client: Lookup.route)
    static let answers = [CallContent.Answer.json(AccountsAnswer.shape(.init("kind", .text, isRequired: true)))]

    struct Input: Decodable {
        var localId: [UTF8Text]?
        var email: [UTF8Text]?
        var phoneNumber: [UTF8Text]?
        var federatedUserId: [Identity]?
        /// First addresses of accounts that have another one now.
        var initialEmail: [UTF8Text]?

        struct Identity: Decodable {
            var providerId: UTF8Text?
            var rawId: UTF8Text?
        }
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Response {
        let accounts = try await context.services.accounts.administration.lists.find(try AccountLists.Wanted(input), by: administrator)
        var json = JSONWriter(capacity: 128 + 1024 * accounts.count)
        json.object { json in
            json.field("kind", "identitytoolkit#GetAccountInfoResponse")
            AccountsAnswer.users(accounts, in: administrator.project, to: &json)
        }
        return Response(json: json.bytes)
    }
}

extension AccountLists.Wanted {
    /// Admin SDKs ask for 100 at most.
    private static let most = 1000

    /// A value that no account can have is left out, like one that no account has.
    fileprivate init(_ input: LookupByAdministrator.Input) throws(Failure) {
        self.init()
        ids = AdministratorField.ids(input.localId)
        emails = AdministratorField.emails(input.email)
        initialEmails = AdministratorField.emails(input.initialEmail)
        phoneNumbers = AdministratorField.phoneNumbers(input.phoneNumber)
        for identity in input.federatedUserId ?? [] {
            guard let providerID = identity.providerId?.asciiLowercased, let rawID = identity.rawId else { continue }
            switch providerID {
            // The names by which `providerUserInfo` shows ways to sign in that are not providers.
            case "password": emails += AdministratorField.emails([rawID])
            case "phone": phoneNumbers += AdministratorField.phoneNumbers([rawID])
            default: if !providerID.hasNUL, !rawID.hasNUL { identities.append((providerID.asString, rawID.asString)) }
            }
        }
        guard count <= Self.most else { throw .invalidArgument("At most \(Self.most) accounts can be looked up at once.") }
    }
}
