import Accounts
import Crypto
import HTTP
import JSON
import Logging
import Pages
import Projects
import Providers
import Text
import Web
import WebAuthn

/// The sign-in of operators with a passkey that they have added before, beside the one at the provider.
extension Console {
    private static let passkeySignInPath = "/sign-in/passkey"

    var passkeySignInHandlers: [Handler] {
        [endpoint(.post, Self.passkeySignInPath, named: "Console.SignInWithPasskey", signInWithPasskey)]
    }

    /// The one script of the console: the sign-in page and the page that adds a passkey have it inside, and their policy names its hash.
    static let passkeyScript = String(decoding: PageScript.passkey.bytes, as: UTF8.self)

    /// The question for a passkey as values of the sign-in page.
    struct PasskeyQuestion {
        let values: [String: TemplateValue]
        /// The header that sets the cookie without which the answer is worthless.
        let cookie: String
    }

    /// `nil` where no operator has a passkey.
    func passkeyQuestion(_ request: Request, _ context: Context) async throws -> PasskeyQuestion? {
        let passkeys = context.services.accounts.operators.passkeys
        guard let site = settings.passkeySite, try await passkeys.exist(at: site) else { return nil }
        // Another tab of the browser may have a question open.
        let browser = browserSecret(in: request) ?? Random.bytes(32)
        let data: JSON = ["request": passkeys.question(to: browser, at: site).json]
        return PasskeyQuestion(
            values: ["data": .text(data.text()), "passkeyAction": .text(Self.passkeySignInPath)],
            cookie: passkeyCookie.set(Base64URL.encode(browser), for: Challenge.lifetime))
    }

    private func signInWithPasskey(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm, ConsoleVisit.isSameOrigin(request, self.site) else { return ended("foreignForm", request, status: 403) }
        let form = try Form.reading(request.body)
        try form.once()
        guard let site = settings.passkeySite else { throw Failure.notFound }
        let operators = context.services.accounts.operators
        do {
            guard let browser = browserSecret(in: request) else { throw AccountError.passkeyChallengeRefused }
            let answer = try? JSON.parse((form["credential"] ?? "").asString)
            let used = try await operators.passkeys.used(in: answer, by: browser, at: site, from: context.browserClientInfo)
            guard let person = try await known(used.person, context) else { return refused("it is not an operator's", request, context) }
            let begun = begun(in: request, context)
            let session = try await operators.sessions.begin(
                person.name, used.person, by: used, replacing: begun.formerSessions, from: context.browserClientInfo)
            var response = RedirectResponse.to(Self.next(form), status: 303)
            response.setCookies(try begun.headers(forNew: session))
            response.setCookies([passkeyCookie.clear(), sessionCookie.set(session.cookie, for: OperatorSessions.lifetime)])
            return response
        } catch let error as AccountError where error.isOfPasskey {
            return refused(error.logDetail, request, context)
        }
    }

    private func refused(_ reason: String, _ request: Request, _ context: Context) -> Response {
        context.log.warning("operator's passkey refused", metadata: ["reason": "\(reason)"])
        return ended("passkeyRefused", request, status: 403)
    }

    /// The browser keeps the other half of its challenge in it.
    private var passkeyCookie: HostCookie { HostCookie("gatehouse_console_passkey", at: site, sameSite: .strict) }

    private func browserSecret(in request: Request) -> [UInt8]? {
        guard let value = passkeyCookie.value(in: request), let secret = Base64URL.decodeStrict(value.asString), secret.count == 32 else {
            return nil
        }
        return secret
    }
}

extension AccountError {
    /// Whether a passkey was refused, or was used or removed meanwhile; what else may happen is a fault of this server.
    fileprivate var isOfPasskey: Bool {
        switch self {
        case .passkeyResponseMissing, .passkeyChallengeRefused, .passkeyRefused, .noSuchPasskey, .conflict: true
        default: false
        }
    }
}
