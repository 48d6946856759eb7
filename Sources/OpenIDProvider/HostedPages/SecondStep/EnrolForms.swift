import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// Enrolment of an authenticator app, for a person whose project lets no one in without a second factor.
extension HostedVisit {
    /// The page with a new secret, for as long as the session is new enough to keep it.
    func showEnrolment(_ fault: FormFault? = nil) async throws -> Response {
        guard let session else { return resume() }
        var content = HostedContent(faults: fault.map { [$0] } ?? [])
        do throws(AccountError) {
            content.enrolment = try await accounts.secondFactors.enrollments.startTOTP(in: session, of: settings)
        } catch {
            switch error {
            case .signInTooOld: return resume()
            // The page says so: a factor on an address that is another person's would lock that person out.
            case .secondFactor(.emailUnverified): break
            default: throw error
            }
        }
        return show(.enrol, content)
    }

    /// Enrols the app that shows the code, and shows the recovery codes once.
    func enrol(_ form: Form) async throws -> Response {
        guard let session else { return resume() }
        let enrolment: AppEnrolment
        do throws(AccountError) {
            enrolment = try await accounts.secondFactors.enrollments.finish(
                form, in: session, language: language, of: settings, from: context.browserClientInfo)
        } catch {
            guard case .signInTooOld = error else { throw error }
            return resume()
        }
        switch enrolment {
        case .done(let account, let outcome): return try await showRecoveryCodes(of: account, outcome, going: try await begin(outcome))
        case .again(let started, let fault): return show(.enrol, HostedContent(faults: [fault], enrolment: started))
        case .late: return try await showEnrolment(.enrolledLate)
        }
    }

    /// - Parameter redirect: the answer without them, whose cookies the page sets.
    private func showRecoveryCodes(of account: Account, _ outcome: SignInOutcome, going redirect: Response) async throws -> Response {
        guard settings.multiFactor.recoveryCodes, case .session(let session) = outcome else { return redirect }
        let codes: [RecoveryCode]
        do throws(AccountError) {
            codes = try await accounts.secondFactors.recoveryCodes.make(
                in: BrowserSession(session: session, account: account), language: language, of: settings, from: context.browserClientInfo)
        } catch {
            // The mailbox of the notice gets no more mails now. The person can have codes made later.
            guard case .tooManyAttempts = error else { throw error }
            return redirect
        }
        var response = project.templates.page(
            codes, in: language, goingOnTo: IssuerPaths.resume(settings.addressName, request: authorization.id.text))
        response.setCookies(redirect.headers.values("set-cookie").map(\.asString))
        return response
    }
}

extension [String: TemplateValue] {
    /// Adds what a page shows of an authenticator app that is being enrolled; nothing where none can be.
    mutating func addEnrolment(_ started: FactorEnrollments.StartedTOTP?, for account: Account?, _ project: Project) {
        self["email"] = .text(account?.email ?? account?.displayName)
        guard let started else { return }
        self["session"] = .text(started.session)
        self["secret"] = .text(started.secretText)
        let address = started.address(issuer: project.templates.branding.name, account: account?.email ?? account?.id ?? "")
        self["qrCode"] = QRCode(address, label: "QR").map { .qrCode($0) }
    }
}

extension Templates {
    /// The page that shows new recovery codes, this once.
    func page(_ codes: [RecoveryCode], in language: String, goingOnTo link: String) -> Response {
        page("codes", in: language, ["codes": .list(codes.map { ["code": .text($0.text)] }), "link": .text(link)])
    }
}

/// The outcome of a form that enrols an authenticator app.
enum AppEnrolment {
    case done(Account, SignInOutcome)
    /// The code is missing or wrong, so the page shows the same secret again.
    case again(FactorEnrollments.StartedTOTP, FormFault)
    /// The page was open for too long, or its form was sent twice.
    case late
}

extension FactorEnrollments {
    /// Enrols the app that shows the code of the form. Throws what `finishTOTP` throws, but for what a form can mend.
    func finish(
        _ form: Form, in session: BrowserSession, language: String, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> AppEnrolment {
        let text = form["session"] ?? ""
        do throws(AccountError) {
            let started = try startedTOTP(text, in: session, of: project)
            let code = (form["code"] ?? "").trimmed
            guard !code.isEmpty else { return .again(started, .missingCode) }
            do throws(AccountError) {
                let (account, outcome) = try await finishTOTP(
                    text, code: code, in: session, language: language, of: project, from: client)
                return .done(account, outcome)
            } catch {
                guard case .wrongCode = error else { throw error }
                return .again(started, .wrongCode)
            }
        } catch {
            switch error {
            case .codeSessionUnknown, .codeSessionExpired: return .late
            default: throw error
            }
        }
    }
}
