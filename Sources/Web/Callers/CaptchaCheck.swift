package import Accounts
package import Captcha
package import Curl
import HTTP
import Logging
import ProjectSettings
import Projects
package import Runtime
package import Text

/// The proofs that an app sent to show that a person, or a copy of the app, asks for a code.
package struct CaptchaProof: Sendable {
    /// The token of the app's own widget, or of our page for native apps.
    package var recaptchaToken: UTF8Text?
    /// The token that the SDK made by itself, or `NO_RECAPTCHA`.
    package var captchaResponse: UTF8Text?
    /// Whether there is a proof that only Google or Apple can check: a receipt of a silent push message, or a token of Play Integrity or SafetyNet.
    package var hasForeignProof: Bool

    package init(recaptchaToken: UTF8Text?, captchaResponse: UTF8Text?, hasForeignProof: Bool = false) {
        self.recaptchaToken = recaptchaToken
        self.captchaResponse = captchaResponse
        self.hasForeignProof = hasForeignProof
    }

    /// The token that counts: the SDKs send a word in place of their own one when the app has one.
    var token: UTF8Text? {
        [recaptchaToken, captchaResponse].compactMap { $0 }.first { !$0.isEmpty && $0 != "NO_RECAPTCHA" }
    }
}

/// Asks a project's captcha service about the token of a caller, before a text message is sent (SEC-27).
///
/// Nothing is let through that the service has not confirmed: one that does not answer has the call refused.
package struct CaptchaCheck: Sendable {
    private let tokens: CaptchaTokens
    private let upstream: any Upstream
    private let clock: Clock
    private let outcomes: OutcomeCounters<Outcome>

    enum Outcome: String, CaseIterable {
        case passed, refused, unavailable
    }

    package init(_ tokens: CaptchaTokens, upstream: any Upstream, clock: Clock, metrics: Metrics) {
        self.tokens = tokens
        self.upstream = upstream
        self.clock = clock
        outcomes = OutcomeCounters(
            metrics, "gatehouse_captcha_checks_total", "Tokens of captcha services that were checked, by project and outcome.")
    }

    /// Throws unless the project asks for no proof, or its service confirms the one that the caller sent, which then is used up.
    func check(
        _ proof: CaptchaProof, for action: CaptchaAction, of project: Project, at site: Site, _ request: Request, log: Logger
    ) async throws {
        guard let service = project.settings.phone.captcha.check else { return }
        do {
            guard let token = proof.token else {
                throw proof.hasForeignProof ? Failure.invalidAppCredential : Failure.missingAppCredential
            }
            let attempt = CaptchaAttempt(
                token: token, action: action, address: request.peer.description, userAgent: request.headers["user-agent"])
            try confirm(try await verdict(of: attempt, by: service, project, log), project, site)
            guard try await tokens.spend(token, in: project.settings) else { throw Failure.invalidAppCredential }
        } catch {
            outcomes.count(Failure(describing: error).isTemporary ? .unavailable : .refused, in: project.settings.id)
            throw error
        }
        outcomes.count(.passed, in: project.settings.id)
    }

    private func verdict(
        of attempt: CaptchaAttempt, by service: any Captcha, _ project: Project, _ log: Logger
    ) async throws(Failure) -> CaptchaVerdict {
        var metadata: Logger.Metadata = ["project": "\(project.settings.id)", "service": "\(type(of: service).name)"]
        do throws(CaptchaFailure) {
            let verdict = try await service.verdict(of: attempt, by: upstream, at: clock.now())
            if case .refused(let reason) = verdict {
                metadata["reason"] = "\(reason)"
                log.notice("the captcha service refused a token", metadata: metadata)
            }
            return verdict
        } catch {
            metadata["reason"] = "\(error)"
            log.warning("the captcha service gave no verdict", metadata: metadata)
            throw .unavailable
        }
    }

    private func confirm(_ verdict: CaptchaVerdict, _ project: Project, _ site: Site) throws(Failure) {
        switch verdict {
        case .refused: throw .invalidAppCredential
        case .otherAction: throw .captchaCheckFailed
        case .solved(let place): guard project.takesTokens(of: place, site) else { throw .captchaCheckFailed }
        }
    }
}

extension Project {
    /// Whether a widget there may ask for a code: at pages of the authorized domains and at this server's own, and in the registered apps.
    fileprivate func takesTokens(of place: CaptchaPlace, _ site: Site) -> Bool {
        switch place {
        case .page(let host):
            authorizes(host: host.asString) || [pagesURL, site.publicURL].contains { URI.parse($0).map { host == $0.host } ?? false }
        case .app(let name):
            settings.apps.contains { app in
                switch app {
                case .ios(let app): name == app.bundleID
                case .android(let app): name == app.package
                }
            }
        }
    }
}

extension Context {
    /// Throws unless the caller's proof is one that the project takes, which then is used up. It belongs before everything that costs money,
    /// and behind the limits by address, since it asks a service.
    package func checkCaptcha(_ proof: CaptchaProof, for action: CaptchaAction) async throws {
        try await services.captcha.check(proof, for: action, of: project, at: services.site, request, log: log)
    }
}
