import Accounts
import HTTP
import Projects
import Text
import Web

/// `GET /emulator/v1/projects/{project}/oobCodes`: the codes in the mails of a project, the newest last.
///
/// Codes that were used or have expired are left out; so are mails about changed ways to sign in, which the emulator does not have. The
/// links lead to `/emulator/action`, which acts at once, while a mail's own link leads to a page with a button. Their queries are the
/// same.
struct ListActionCodes: Endpoint {
    static let route = Context.emulated(.get, "oobCodes")

    struct Input: Decodable {}
    struct Output: Codable {
        var oobCodes: [Code]
    }

    struct Code: Codable {
        /// The account's own address, or the address of the mail where the account does not have one yet.
        var email: String
        /// The new address of the account, for `VERIFY_AND_CHANGE_EMAIL`; the mail went to it.
        var newEmail: String?
        var requestType: String
        var oobCode: String
        var oobLink: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try await context.emulatedRealm().settings
        // Only mails about changed ways to sign in have the time of an event.
        let recent = try await context.outbox.recent(in: project).filter { $0.happenedAt == nil }
        let mails = try await context.services.accounts.codes.pending(recent, in: project)
        return Output(oobCodes: mails.reversed().compactMap { Code($0, context.services.site) })
    }
}

extension ListActionCodes.Code {
    /// `nil` for a mail without a link.
    init?(_ pending: PendingMail, _ site: Site) {
        guard let kind = pending.mail.kind.code else { return nil }
        email = pending.email ?? pending.mail.to
        newEmail = pending.mail.kind == .verifyAndChangeEmail ? pending.mail.newEmail : nil
        requestType = RequestType(kind).rawValue
        oobCode = pending.code
        oobLink = "\(site.publicURL)\(FollowLink.route.path)?\(pending.query)"
    }
}
