import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:query`: accounts of the project, sorted, or their number.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/query>
struct QueryAccounts: RawAdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:query", right: .readUsers,
        aliases: ["/v1/projects/{project}:queryAccounts", "/identitytoolkit.googleapis.com/v1/projects/{project}:queryAccounts"])
    static let answers = [
        CallContent.Answer.json(AccountsAnswer.shape(.init("recordsCount", .text, isRequired: true), as: "userInfo"))
    ]

    struct Input: Decodable {
        var returnUserInfo: Bool?
        var limit: Int?
        var offset: Int?
        var sortBy: Field?
        var order: Direction?
        var expression: [Expression]?

        /// One account; the first of the fields that is there counts.
        struct Expression: Decodable {
            var email: UTF8Text?
            var phoneNumber: UTF8Text?
            var userId: UTF8Text?
        }
    }

    enum Field: String, WireEnum {
        static let unspecified = "SORT_BY_FIELD_UNSPECIFIED"

        case id = "USER_ID"
        case name = "NAME"
        case createdAt = "CREATED_AT"
        case lastLoginAt = "LAST_LOGIN_AT"
        case email = "USER_EMAIL"
    }

    enum Direction: String, WireEnum {
        static let unspecified = "ORDER_UNSPECIFIED"

        case ascending = "ASC"
        case descending = "DESC"
    }

    private static let largest = 500

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Response {
        let (limit, offset) = (input.limit ?? 0, input.offset ?? 0)
        guard (0...Self.largest).contains(limit) else { throw Failure.invalidArgument("limit must be 1 to \(Self.largest).") }
        guard offset >= 0 else { throw Failure.invalidArgument("offset must not be negative.") }
        let wanted = input.expression.flatMap { $0.isEmpty ? nil : AccountLists.Wanted($0) }
        let lists = context.services.accounts.administration.lists
        var json = JSONWriter()
        if input.returnUserInfo == false {
            let count = try await lists.count(wanted, by: administrator)
            json.object { $0.field("recordsCount", decimal: count) }
            return Response(json: json.bytes)
        }
        let accounts = try await lists.query(
            wanted, by: AccountLists.Order(input.sortBy), descending: input.order == .descending, from: offset,
            most: limit == 0 ? Self.largest : limit,
            by: administrator)
        json.object { json in
            json.field("recordsCount", decimal: Int64(accounts.count))
            AccountsAnswer.users(accounts, in: administrator.project, to: &json, as: "userInfo")
        }
        return Response(json: json.bytes)
    }
}

extension AccountLists.Wanted {
    fileprivate init(_ expressions: [QueryAccounts.Input.Expression]) {
        self.init()
        for expression in expressions {
            if let email = expression.email {
                emails += AdministratorField.emails([email])
            } else if let number = expression.phoneNumber {
                phoneNumbers += AdministratorField.phoneNumbers([number])
            } else {
                ids += AdministratorField.ids(expression.userId.map { [$0] })
            }
        }
    }
}

extension AccountLists.Order {
    fileprivate init(_ field: QueryAccounts.Field?) {
        self =
            switch field {
            case .id, nil: .id
            case .name: .displayName
            case .createdAt: .createdAt
            case .lastLoginAt: .lastLoginAt
            case .email: .email
            }
    }
}
