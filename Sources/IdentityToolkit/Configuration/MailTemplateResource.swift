import Accounts
import Mail
import Pages
import ProjectSettings
import Projects

extension ProjectConfig {
    /// How the project sends mails: the page behind their links, and the texts, with the placeholders of Firebase's console.
    struct SendEmail: Codable {
        /// The server's own transport, which all its projects share.
        var method = "DEFAULT"
        var callbackUri: String
        var resetPasswordTemplate: MailTemplate
        var verifyEmailTemplate: MailTemplate
        var changeEmailTemplate: MailTemplate
        var revertSecondFactorAdditionTemplate: MailTemplate

        init(of project: Project) {
            callbackUri = project.settings.mail.actionURL ?? "\(project.pagesURL)/__/auth/action"
            resetPasswordTemplate = MailTemplate(.resetPassword, of: project)
            verifyEmailTemplate = MailTemplate(.verifyEmail, of: project)
            changeEmailTemplate = MailTemplate(.recoverEmail, of: project)
            revertSecondFactorAdditionTemplate = MailTemplate(.secondFactorAdded, of: project)
        }
    }

    /// A mail of the project in its language.
    struct MailTemplate: Codable {
        var subject: String
        var body: String
        var bodyFormat = "HTML"
        var senderDisplayName: String?
        /// Whether the project's own files make it differ from the mail that the binary has.
        var customized: Bool

        init(_ kind: OutgoingMail.Kind, of project: Project) {
            var branding = project.settings.branding
            branding.name = "%APP_NAME%"
            let mail = OutgoingMail(
                kind, to: "%EMAIL%", language: branding.language, link: "%LINK%", newEmail: "%NEW_EMAIL%", providerID: "%SECOND_FACTOR%")
            let rendered = project.templates.named(branding).mail(mail)
            subject = rendered.subject
            body = rendered.html
            senderDisplayName = project.settings.mail.from?.name
            customized = rendered != Templates(branding: branding).mail(mail)
        }
    }
}
