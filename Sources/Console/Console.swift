import Accounts
import HTTP
import Pages
import Projects
package import Web

/// The console: pages at which the operators of the server look after its projects and their people, on a listener of its own.
///
/// Each page is one file below `Pages/`: a `ConsolePage` shows something, a `ConsoleAct` changes something. `Visit/` has what all of them share:
/// who asks (`ConsoleVisit`), the frame around a page (`ConsoleView`), and the one way of a change (`ConsoleAct.handler`): role, origin,
/// token of the form, fresh sign-in, reason, act, redirect. `SignIn/` lets operators in. What a page shows and what an act does are rules of
/// `Accounts`, which the Admin API and the command line ask as well: nothing is decided here but who may ask.
package struct Console: Sendable {
    package let settings: ConsoleSettings
    let facts: ConsoleFacts
    let pages: PageSet
    /// In development, the path below which it stands on the API's listener: it asks for no sign-in, and answers programs of this machine alone
    /// (SEC-22). Empty on a listener of its own.
    let base: String

    package init(_ settings: ConsoleSettings, _ facts: ConsoleFacts) { self.init(settings, facts, below: "") }

    /// The console of development mode.
    package init(inDevelopmentAt publicURL: String, _ facts: ConsoleFacts) {
        self.init(ConsoleSettings(inDevelopmentAt: publicURL), facts, below: "/emulator")
    }

    private init(_ settings: ConsoleSettings, _ facts: ConsoleFacts, below base: String) {
        self.base = base
        self.settings = settings
        self.facts = facts
        pages = Self.pageSet
    }

    /// Pages that show something, and parts of them. To add one, add a file in `Pages/` and a line here.
    static let shown: [any ConsolePart.Type] = [
        AuditRecordPage.self,
        ConfigurationPage.self,
        HooksPage.self,
        KeysPage.self,
        LimitsPage.self,
        MailPage.self,
        MailPreviewFrame.self,
        MailPreviewPage.self,
        MailTemplatesPage.self,
        OneUserPage.self,
        OverviewPage.self,
        ProjectConfigurationPage.self,
        ProjectOverviewPage.self,
        ProvidersPage.self,
        ServiceAccountsPage.self,
        UsersPage.self,
    ]

    /// Changes, each with the page that asks for confirmation. To add one, add a file in `Pages/` and a line here.
    static let acts: [any ConsoleAct.Type] = [
        CheckProvider.self,
        DeleteUser.self,
        DisableUser.self,
        EnableUser.self,
        EndUserSession.self,
        EndUserSessions.self,
        ExportAudit.self,
        ExportUser.self,
        ForgetLimits.self,
        MailUser.self,
        RemoveUserFactor.self,
        RemoveUserPasskey.self,
        ReplayEvent.self,
        RetryMails.self,
        RotateKey.self,
        SendSampleMail.self,
        SetUserClaims.self,
        UnlinkUser.self,
    ]

    /// The pages and changes of an operator's own way in. In development there is none.
    static let ownPages: [any ConsolePart.Type] = [PasskeysPage.self]
    static let ownActs: [any ConsoleAct.Type] = [AddPasskey.self, RemovePasskey.self]

    /// The endpoints of the console's listener.
    package var handlers: [Handler] {
        let (pages, acts) = isOpen ? (Self.shown, Self.acts) : (Self.shown + Self.ownPages, Self.acts + Self.ownActs)
        return pages.map { $0.handler(self) } + acts.flatMap { $0.handlers(self) } + (isOpen ? [] : signInHandlers + passkeySignInHandlers)
    }

    /// Whether the navigation leads somewhere: to a page about a project, or about the server.
    func hasPage(at place: ConsolePlace, ofProject: Bool) -> Bool {
        Self.shown.contains { $0.place == place && $0.path.hasPrefix("/projects/") == ofProject }
    }

    /// Whether it asks for no sign-in.
    var isOpen: Bool { !base.isEmpty }

    private static let pageSet = PageSet(ConsoleTemplates.files)

    /// A word of a page in English, for the command line.
    static func english(_ word: TemplateValue, of page: String) -> String { pageSet.english(word, of: page) }
}
