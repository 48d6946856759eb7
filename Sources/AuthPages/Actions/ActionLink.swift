import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// The content of a link in a mail, or of the form on the page behind the link, which repeats it.
struct ActionLink {
    let project: Project
    let kind: ActionCode.Kind
    let code: String
    /// The tag of a language that the project's templates have.
    let language: String
    /// The app's page; an address that the project does not authorize counts as absent.
    let continueURL: URI?
    let apiKey: String

    static let names = ["mode", "oobCode", "apiKey", "lang", "continueUrl", "tenantId"]

    /// `nil` for a damaged link, which this server cannot have made.
    init?(_ form: Form, _ context: Context) async throws {
        guard form.firstRepeated(of: Self.names.map { UTF8Text($0) }) == nil, let apiKey = form["apiKey"],
            let owner = context.services.projects.project(apiKey: apiKey, for: context.request),
            let project = try await context.realmOfLink(of: owner, form),
            let kind = form["mode"].flatMap(ActionCode.Kind.init(exactly:)), let code = form["oobCode"]
        else { return nil }
        self.project = project
        self.kind = kind
        self.code = code.asString
        self.apiKey = apiKey.asString
        language = project.templates.language(for: context.request, parameter: form["lang"]?.asString)
        continueURL = form["continueUrl"].flatMap(URI.ofPage).flatMap { project.authorizes($0) ? $0 : nil }
    }

    /// The link as the fields of a form.
    var fields: [(name: String, value: String)] {
        [("mode", kind.rawValue), ("oobCode", code), ("apiKey", apiKey), ("lang", language)]
            + (continueURL.map { [("continueUrl", $0.description)] } ?? []) + tenant
    }

    private var tenant: [(name: String, value: String)] { project.settings.tenant.map { [(name: "tenantId", value: $0.id)] } ?? [] }

    /// The address at which a sign-in continues: the app's page, with the parameters that SDKs look for, as Firebase's own page adds them.
    var signInURL: String? {
        let fields =
            [
                (name: "apiKey", value: apiKey), (name: "oobCode", value: code), (name: "mode", value: kind.rawValue),
                (name: "lang", value: language),
            ] + tenant
        return continueURL?.replacing(Form(fields)).description
    }

    /// Tells what the code would do, without using it up. Throws `invalidActionCode` for a code of another kind than the link's.
    func inspect(_ context: Context) async throws -> ActionCode {
        try checkPasswords()
        return try await context.services.accounts.codes.inspect(code, as: kind, in: project.settings, from: context.clientInfo)
    }

    /// Throws `invalidActionCode` for the link of a new password where the project has no passwords.
    func checkPasswords() throws(AccountError) {
        guard kind != .resetPassword || project.settings.signIn.password else { throw .invalidActionCode }
    }
}

extension Context {
    /// The realm that a link names; `nil` where there is no such tenant, so that the link is a damaged one.
    fileprivate func realmOfLink(of project: Project, _ form: Form) async throws -> Project? {
        do { return try await realm(of: project, form) } catch let failure as Failure where !failure.isTemporary { return nil }
    }
}
