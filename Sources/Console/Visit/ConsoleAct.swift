import Accounts
import HTTP
import Pages
import Projects
import Text
import Web

/// A change that an operator makes: a page that says what will happen, and the form on it that makes it happen.
///
/// The path names what is done, and to what: the form's token is good for this path alone. `perform` calls the rule that the Admin API or the
/// command line calls, with `visit.administrator`, so that the rule records the act with the operator and their reason.
protocol ConsoleAct: Sendable {
    static var path: String { get }
    static var place: ConsolePlace { get }
    /// The least role that may do it.
    static var role: Operator.Role { get }
    /// Whether it cannot be undone, or opens the way to more: then the operator must have signed in a moment ago.
    static var isDangerous: Bool { get }
    /// Whether it is about the operator's own way in alone: then no reason is asked for.
    static var isOwn: Bool { get }
    /// The page that says why the operator may not do it now; `nil` where they may.
    static func obstacle(_ visit: ConsoleVisit) -> ConsoleView?
    init()
    /// The words about what will happen, before it happens.
    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation
    /// Makes it happen. An error that the operator may learn of is shown on the page of confirmation.
    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome
}

/// The words, the fields and the way back of a page that asks for confirmation.
struct ConsoleConfirmation: Sendable {
    /// The group of words that has `title`, `text` and `button`, and a word for each field.
    let words: String
    var values: [String: TemplateValue] = [:]
    var fields: [ConsoleField] = []
    var path: [ConsoleView.Crumb] = []
    /// The page that the operator goes back to without the change.
    let cancel: String
    /// The page's template, and whether it has the script that asks for passkeys.
    var template = "confirm"
    var asksForPasskeys = false

    init(
        _ words: String, _ values: [String: TemplateValue] = [:], fields: [ConsoleField] = [], path: [ConsoleView.Crumb] = [],
        cancel: String
    ) {
        self.words = words
        self.values = values
        self.fields = fields
        self.path = path
        self.cancel = cancel
    }
}

/// A field of the form; its label is the word of its name.
struct ConsoleField: Sendable {
    enum Kind: Sendable {
        case line, optional
        /// Several lines of JSON.
        case json
    }
    let name: String
    let kind: Kind
    let value: String

    init(_ name: String, _ kind: Kind = .line, value: String = "") {
        self.name = name
        self.kind = kind
        self.value = value
    }

    /// A text as the field shows it: characters that cannot be seen, or that change how others are read, by their code points.
    func shown(_ text: String) -> String {
        guard kind == .json else { return ConsoleVisit.inert(text) }
        return text.unicodeScalars.reduce(into: "") { json, scalar in
            switch scalar {
            case "\n": json += "\n"
            // They stand between the values: a text of JSON has neither.
            case "\t", "\r": json += " "
            case _ where ConsoleVisit.inert(String(scalar)) == String(scalar): json.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
    }
}

/// The end of an act.
enum ConsoleOutcome: Sendable {
    /// Shows another page, with one of its notes: the word `noteDone` for `done`.
    case goes(to: String, note: String? = nil)
    /// Shows something that only this act could make.
    case shows(ConsoleView)
    /// Gives a file.
    case file(name: String, type: String, [UInt8])
}

extension ConsoleAct {
    static var isDangerous: Bool { false }
    static var isOwn: Bool { false }

    static func obstacle(_ visit: ConsoleVisit) -> ConsoleView? {
        guard visit.may(role, at: place) else { return .refused(.forbidden) }
        return isDangerous && !visit.session.isFresh(at: visit.now) ? visit.signInAgain : nil
    }

    /// The page and the form, as the router keeps them.
    static func handlers(_ console: Console) -> [Handler] {
        [
            console.endpoint(.get, path, named: "Console.\(Self.self).Page") { request, context in
                try await console.answering(request, context) { visit in
                    if let obstacle = obstacle(visit) { return visit.page(obstacle, at: place) }
                    return try await page(visit)
                }
            },
            console.endpoint(.post, path, named: "Console.\(Self.self)") { request, context in
                try await console.answering(request, context) { visit in try await answer(request, visit) }
            },
        ]
    }

    /// The one way of a change. The order matters: nothing is read of a form that the console did not send.
    private static func answer(_ request: Request, _ visit: ConsoleVisit) async throws -> Response {
        let form = try await visit.ownForm(request)
        guard let form else { return visit.page(.refused(.foreignForm), at: place) }
        if let obstacle = obstacle(visit) { return visit.page(obstacle, at: place) }
        var visit = visit
        visit.reason = form["reason"].map { $0.trimmed.prefix(bytes: 500).asString }.flatMap { $0.isEmpty ? nil : $0 }
        if needsReason(of: visit), visit.reason == nil { return try await page(visit, form, fault: .word("reasonMissing")) }
        do {
            switch try await Self().perform(form, visit) {
            case .goes(let path, let note):
                return RedirectResponse.to(note.map { "\(path)?\(Form([(name: "note", value: $0)]).encoded())" } ?? path, status: 303)
            case .shows(let view): return visit.page(view, at: place)
            case .file(let name, let type, let bytes): return .file(name, type, bytes)
            }
        } catch let fault as ConsoleFault { return try await page(visit, form, fault: fault.reason) } catch {
            let failure = Failure(describing: error)
            guard failure.kind == .business || failure.kind == .badRequest else { throw error }
            return try await page(visit, form, fault: FailureWords.word(failure))
        }
    }

    /// Those who help people say why, and so does everyone who does what cannot be undone.
    private static func needsReason(of visit: ConsoleVisit) -> Bool { (visit.person.role == .support || isDangerous) && !isOwn }

    /// The page of confirmation.
    ///
    /// - Parameters:
    ///   - form: what the operator filled in, where it was refused.
    ///   - fault: why it was refused.
    private static func page(_ visit: ConsoleVisit, _ form: Form? = nil, fault: TemplateValue? = nil) async throws -> Response {
        let asked = try await Self().confirmation(visit)
        let action = visit.context.request.path
        var values: [String: TemplateValue] = [
            "action": .text(action), "token": .text(visit.session.formToken(for: action)), "cancel": .text(asked.cancel),
            "needsReason": .flag(needsReason(of: visit)),
            "reason": .text((form?["reason"]).map { ConsoleVisit.inert($0.asString) }), "isDangerous": .flag(isDangerous),
            "fields": .list(
                asked.fields.map { field in
                    let value = field.shown((form?[UTF8Text(field.name)])?.asString ?? field.value)
                    return [
                        "field": .text(field.name), "label": .word(field.name), "value": .text(value),
                        "isLine": .flag(field.kind != .json), "isRequired": .flag(field.kind == .line),
                        "isText": .flag(field.kind == .json),
                    ]
                }),
        ]
        if let fault { values["fault"] = fault }
        values.merge(asked.values) { _, own in own }
        var view = ConsoleView(asked.template, values, words: asked.words, path: asked.path, status: fault == nil ? 200 : 400)
        view.asksForPasskeys = asked.asksForPasskeys
        return visit.page(view, at: place)
    }
}

extension ConsoleVisit {
    /// The form of a request, where a page of the console sent it in the same session; otherwise `nil`.
    ///
    /// Three things say so, each for itself: the cookie, which browsers send with requests of this site alone; the browser's own word where the
    /// request comes from; and the token, which only the page has.
    func ownForm(_ request: Request) async throws -> Form? {
        guard request.isForm, console.isOpen || Self.isSameOrigin(request, console.site) else { return nil }
        let form = try Form.reading(request.body)
        try form.once()
        guard !form.fields.contains(where: { $0.value.utf8.contains(0) }) else {
            throw ConsoleFault("faultCharacter")
        }
        guard session.isGenuine(form["token"] ?? "", for: request.path) else { return nil }
        return form
    }

    /// Whether the browser says that a page of this origin sent the request. A browser that says nothing is refused.
    static func isSameOrigin(_ request: Request, _ site: Site) -> Bool {
        if let relation = request.headers["sec-fetch-site"] { return relation == "same-origin" }
        return request.headers["origin"].map { $0 == UTF8Text(site.publicURL) } ?? false
    }

    /// Whether the browser says that another site's page sent the request, or another program's page of this machine. In development, pages of the
    /// app may make the emulator's calls, and none of the console's.
    static func isOfOtherSite(_ request: Request) -> Bool {
        if let relation = request.headers["sec-fetch-site"] { return relation != "same-origin" && relation != "none" }
        guard let origin = request.headers["origin"], let host = request.headers["host"] else { return false }
        return !origin.hasSuffix(UTF8Text("//\(host)"))
    }

    /// The page that asks an operator to sign in again, and leads back to where they were.
    var signInAgain: ConsoleView {
        ConsoleView(
            "refused", ["reason": .word("notFresh"), "again": .text(console.signInLink(goingOnTo: context.request))], status: 403)
    }

    /// The same where a passkey is not enough: it leads to the provider.
    var signInAtProvider: ConsoleView {
        let again = console.startLink(goingOnTo: context.request.path)
        return ConsoleView("refused", ["reason": .word("notFreshAtProvider"), "again": .text(again)], status: 403)
    }
}

extension Response {
    /// A file that the browser saves, and never shows.
    fileprivate static func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> Response {
        Response(
            headers: [
                "content-type": type, "content-disposition": "attachment; filename=\"\(name)\"", "cache-control": "no-store",
                "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
                "content-security-policy": "default-src 'none'; sandbox",
                "cross-origin-resource-policy": "same-origin",
            ], body: bytes)
    }
}
