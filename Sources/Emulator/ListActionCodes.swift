import Accounts
import HTTP
import Web

/// `GET /emulator/v1/projects/{project}/oobCodes`: the codes in the mails of a project, the newest last.
///
/// Codes that were used or have ended are not among them. The link leads to `/emulator/action`, which acts at once, where the mail's own
/// leads to a page with a button; their queries are the same.
struct ListActionCodes: Endpoint {
    static let route = Route(.get, "/emulator/v1/projects/{project}/oobCodes", access: .development)

    struct Input: Decodable {}
    struct Output: Encodable {
        var oobCodes: [Code]
    }

    struct Code: Encodable {
        var email: String
        var requestType: String
        var oobCode: String
        var oobLink: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let letters = try await context.outbox.recent(in: context.configuredProject().settings)
        return Output(oobCodes: letters.reversed().compactMap { Code($0, context.services.site) })
    }
}

extension ListActionCodes.Code {
    /// `nil` for a letter without a code.
    init?(_ letter: Letter, _ site: Site) {
        guard let link = URI.parse(letter.link), let query = link.query, let code = Form(query)?["oobCode"] else { return nil }
        email = letter.to
        requestType = letter.kind.requestType
        oobCode = code
        oobLink = "\(site.publicURL)/emulator/action?\(query)"
    }
}

extension Letter.Kind {
    /// As the API names it.
    var requestType: String {
        switch self {
        case .resetPassword: "PASSWORD_RESET"
        case .verifyEmail: "VERIFY_EMAIL"
        case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
        case .recoverEmail: "RECOVER_EMAIL"
        case .signIn: "EMAIL_SIGNIN"
        }
    }
}
