import Postgres
package import ProjectSettings
import Runtime

/// Mails with made-up values, by which an operator sees what people get.
///
/// Nothing of them is stored, and their codes are not codes: a link of one opens nothing.
package struct SampleMails: Sendable {
    let mails: ActionCodeMails

    /// - Parameters:
    ///   - email: the address that the mail names, and goes to where it is sent.
    ///   - language: the tag of a language that the project's templates have.
    ///   - provider: the id of a provider of the project, for mails about one.
    package func sample(
        _ kind: OutgoingMail.Kind, to email: String = Self.address, language: String, provider: String?, in project: ProjectSettings
    ) -> OutgoingMail {
        let link = kind.code.map { mails.link($0, code: Self.code, MailOptions(language: language), in: project) }
        return OutgoingMail(
            kind, to: email, language: language, link: link ?? "",
            newEmail: [.verifyAndChangeEmail, .recoverEmail].contains(kind) ? Self.newAddress : nil,
            displayName: "Ada Lovelace", providerID: provider, happenedAt: mails.clock.now().seconds,
            oneTimeCode: [.emailCode, .secondFactorCode].contains(kind) ? Self.digits : nil)
    }

    /// The address of a person who is made up.
    package static let address = "ada@example.com"
    private static let newAddress = "ada.lovelace@example.com"
    private static let code = "this-is-a-sample"
    private static let digits = "123456"

    /// Counts and records that an operator is about to send themselves a sample. Without the record, the mail must not be sent.
    ///
    /// Throws `tooManyAttempts`.
    package func begin(_ mail: OutgoingMail, in project: ProjectSettings, by operatorAct: OperatorAct) async throws(AccountError) {
        try await mails.limits.charge(Attempt(.sendSampleMail, from: operatorAct.client, mailbox: mail.to, in: project))
        _ = try await mails.storage.write(
            operatorAct.audited(at: mails.clock.now()).record(
                .sampleMailSent, facts: "'mail', \(mail.kind.rawValue), 'language', \(mail.language)", in: project.storageID))
    }
}
