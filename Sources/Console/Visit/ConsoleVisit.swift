import Accounts
import Crypto
import HTTP
import Identity
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// One request of an operator who is signed in: who asks, for which project, and the parts of the loop that the answer is made of.
struct ConsoleVisit: Sendable {
    let console: Console
    let context: Context
    let session: OperatorSession
    /// The operator, as the configuration has them now.
    let person: Operator
    /// The project or tenant that the path names as `{project}`; `nil` where it names none.
    let realm: Project?
    let query: Form
    let language: String
    /// The operator's reason for an act; `nil` for a page that only shows something.
    var reason: String?

    var accounts: Accounts { context.services.accounts }
    var client: Session.ClientInfo { context.browserClientInfo }
    var now: Instant { context.services.clock.now() }

    /// The project that the page is about. Throws "not found" where the path names none.
    var project: Project {
        get throws(Failure) {
            guard let realm else { throw .notFound }
            return realm
        }
    }

    /// The operator as the rules for administrators know one, with the reason of the act. Audit events have the operator's name.
    var administrator: Administrator {
        get throws(Failure) { Administrator(operator: person, because: reason, of: try project.settings, from: client) }
    }

    /// The same for a rule that is about no account.
    var act: OperatorAct { OperatorAct(by: person, because: reason, from: client) }

    func may(_ role: Operator.Role) -> Bool { person.role >= role }

    /// A part of the path: `parameter("user")` for `{user}`.
    func parameter(_ name: UTF8Text) -> UTF8Text { context.parameters[name] ?? "" }

    /// The address of a page of the console.
    ///
    /// - Parameter path: below the console, such as `/projects/acme/users`.
    func link(_ path: String, _ query: Form = [:]) -> String {
        console.base + (query.fields.isEmpty ? path : "\(path)?\(query.encoded())")
    }

    /// The address of a page of this project: `/users` for `/projects/acme/users`.
    func projectLink(_ path: String, _ query: Form = [:]) throws(Failure) -> String {
        link("/projects/\(try project.settings.addressName)\(path)", query)
    }

    /// An address or a number as this operator may see it: viewers see its first letter, and an address's domain.
    func masked(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "" }
        if may(.support) { return Self.inert(text) }
        guard let at = text.lastIndex(of: "@") else { return "\(Self.inert(String(text.prefix(1))))••" }
        return "\(Self.inert(String(text.prefix(1))))••\(Self.inert(String(text[at...])))"
    }

    /// A text of a person's or a provider's as a page shows it: characters that cannot be seen, or that change how others are read, as their code
    /// points (SEC-67). Stand it in `<bdi>`.
    static func inert(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            let isFit = !Self.isInvisible(scalar) && ProfileText.isFit(String(scalar), most: 1)
            if isFit { shown.unicodeScalars.append(scalar) } else { shown += "[U+\(String(scalar.value, radix: 16, uppercase: true))]" }
        }
    }
}

extension ConsoleVisit {
    /// Characters that have no shape of their own, with which two texts look the same. A person's name may have some of them.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x61C, 0x115F...0x1160, 0x180E, 0x200B, 0x200E...0x200F, 0x2060...0x2064, 0x3164, 0xFEFF, 0xFFA0, 0xE0000...0xE007F: true
        default: false
        }
    }
}

extension Console {
    /// The visit of an operator; `nil` where the browser has no session, or the configuration does not have its operator any more. Throws "not
    /// found" for a project that is not there, or that the operator may not see.
    func visit(_ context: Context) async throws -> ConsoleVisit? {
        let query = try Form.reading(context.request.query)
        if isOpen {
            let session = OperatorSession(
                secret: Self.secretOfDevelopment, operatorName: Operator.developer.name, person: nil, reason: nil,
                signedInAt: context.services.clock.now())
            return try await visit(of: .developer, in: session, query, context)
        }
        guard let cookie = sessionCookie.value(in: context.request),
            let session = try await context.services.accounts.operators.sessions.find(
                cookie, from: context.browserClientInfo, isUse: !query.isReload),
            let person = settings.person(of: session)
        else { return nil }
        return try await visit(of: person, in: session, query, context)
    }

    /// Makes the tokens of forms in development; as long as the process, so that all its loops know it.
    private static let secretOfDevelopment = Random.bytes(32)

    private func visit(
        of person: Operator, in session: OperatorSession, _ query: Form, _ context: Context
    ) async throws -> ConsoleVisit {
        ConsoleVisit(
            console: self, context: context, session: session, person: person, realm: try await realm(for: person, context),
            query: query, language: pages.language(for: context.request))
    }

    private func realm(for person: Operator, _ context: Context) async throws -> Project? {
        guard let name = context.parameters["project"] else { return nil }
        guard let (id, tenant) = name.halves(at: UInt8(ascii: "~")), let project = context.projects.project(id: id.asString),
            person.sees(project.settings)
        else { throw Failure.notFound }
        guard let tenant else { return project }
        let services = context.services
        guard let realm = try await services.tenants.tenant(tenant, of: project, by: services.accounts.tenants) else {
            throw Failure.notFound
        }
        return realm
    }

    /// The console as a site of its own.
    var site: Site { Site(publicURL: settings.publicURL, development: settings.development) }

    /// The browser sends it with requests of the console's own pages alone.
    var sessionCookie: HostCookie { HostCookie("gatehouse_console", at: site, sameSite: .strict) }
}
