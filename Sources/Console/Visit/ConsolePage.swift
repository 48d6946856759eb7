import Accounts
import HTTP
import Pages
import Projects
import Text
import Web

/// Something that the console shows, which changes nothing: a page, or a part of one that has an address of its own.
protocol ConsolePart: Sendable {
    /// Its path below the console. `{project}` stands for a project or a tenant of it, which `ConsoleVisit.project` finds.
    static var path: String { get }
    static var place: ConsolePlace { get }
    /// The least role that sees it; `viewer` unless a page says otherwise.
    static var role: Operator.Role { get }
    init()
    func answer(_ visit: ConsoleVisit) async throws -> Response
}

/// A page of the console that shows something, and changes nothing.
protocol ConsolePage: ConsolePart {
    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView
}

extension ConsolePage {
    func answer(_ visit: ConsoleVisit) async throws -> Response { visit.page(try await self(visit), at: Self.place) }
}

extension ConsolePart {
    static var role: Operator.Role { .viewer }

    /// The endpoint as the router keeps it.
    static func handler(_ console: Console) -> Handler {
        console.endpoint(.get, path, named: "Console.\(Self.self)") { request, context in
            try await console.answering(request, context) { visit in
                guard visit.may(role, at: place) else { return visit.page(.refused(.forbidden), at: place) }
                return try await Self().answer(visit)
            }
        }
    }
}

extension Console {
    /// - Parameter path: below the console.
    func endpoint(
        _ method: HTTP.Method, _ path: String, named name: String, _ work: @escaping Handler.AsynchronousWork
    ) -> Handler {
        Handler(
            route: Route(method, base + path, aliases: isOpen && path == "/" ? [base] : [], access: isOpen ? .development : .anyone),
            errorFormat: .page, named: name,
            content: { CallContent(answers: [.page]) },
            work: { request, context in
                do { return try await work(request, context) } catch {
                    guard let page = unavailable(error, request, context, at: base + path) else { throw error }
                    return page
                }
            })
    }

    /// Runs `work` for an operator who is signed in. Others are sent to the sign-in first, and come back. What operators may learn of an error is
    /// shown in the console's own frame.
    func answering(
        _ request: Request, _ context: Context, _ work: (ConsoleVisit) async throws -> Response
    ) async throws -> Response {
        if isOpen, ConsoleVisit.isOfOtherSite(request) {
            return pages.page("refused", in: pages.language(for: request), ["reason": .word("foreignForm")], status: 403)
        }
        let found: ConsoleVisit?
        do { found = try await visit(context) } catch let failure as Failure where failure.kind == .notFound {
            return pages.page("refused", in: pages.language(for: request), ["reason": .word("notFound")], status: 404)
        }
        guard let visit = found else { return RedirectResponse.to(signInLink(goingOnTo: request), status: 303) }
        do { return try await work(visit) } catch let fault as ConsoleFault {
            return visit.page(.refused(fault.reason, status: 400), at: .overview)
        } catch {
            let failure = Failure(describing: error)
            switch failure.kind {
            case .internal, .unavailable: throw error
            default: return visit.page(.refused(failure), at: .overview)
            }
        }
    }
}

extension ConsoleVisit {
    /// Whether the operator's role is enough, for a page about a project or about the whole server. Operators of some projects see only the first
    /// page about the server.
    func may(_ role: Operator.Role, at place: ConsolePlace) -> Bool {
        may(role) && (realm != nil || place.isForAll || person.projects == nil)
    }
}

extension ConsoleView {
    /// The reasons for which the console itself refuses.
    enum Refusal: String {
        /// The operator's role is too small.
        case forbidden
        /// The form was not sent by a page of the console in the operator's session.
        case foreignForm
        /// A session that `gatehouse console open` began adds no passkey.
        case noOwnPasskeys
        /// The console's address has no host name to make passkeys for.
        case noPasskeySite
    }

    static func refused(_ refusal: Refusal) -> ConsoleView { refused(.word(refusal.rawValue), status: 403) }

    static func refused(_ failure: Failure) -> ConsoleView {
        refused(failure.kind == .notFound ? .word("notFound") : FailureWords.word(failure), status: failure.kind.httpStatus)
    }

    static func refused(_ reason: TemplateValue, status: Int) -> ConsoleView {
        ConsoleView("refused", ["reason": reason], status: status)
    }
}
