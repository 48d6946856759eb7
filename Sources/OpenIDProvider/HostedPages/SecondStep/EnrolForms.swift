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
        do {
            return try await enrol(form, in: session)
        } catch let error as AccountError {
            switch error {
            case .codeSessionUnknown, .codeSessionExpired: return try await showEnrolment(FormFault(field: nil, word: "tooLate"))
            case .signInTooOld: return resume()
            default: throw error
            }
        }
    }

    private func enrol(_ form: Form, in session: BrowserSession) async throws -> Response {
        let enrollments = accounts.secondFactors.enrollments
        let text = form["session"] ?? ""
        let started = try enrollments.startedTOTP(text, in: session, of: settings)
        let code = (form["code"] ?? "").trimmed
        guard !code.isEmpty else { return showAgain(started, .missingCode) }
        let (account, outcome): (Account, SignInOutcome)
        do throws(AccountError) {
            (account, outcome) = try await enrollments.finishTOTP(
                text, code: code, in: session, language: language, of: settings, from: context.browserClientInfo)
        } catch {
            guard case .wrongCode = error else { throw error }
            return showAgain(started, .wrongCode)
        }
        return try await showRecoveryCodes(of: account, outcome, going: try await begin(outcome))
    }

    private func showAgain(_ started: FactorEnrollments.StartedTOTP, _ fault: FormFault) -> Response {
        show(.enrol, HostedContent(faults: [fault], enrolment: started))
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
            codes, in: language, goingOnTo: IssuerPaths.resume(settings.id, request: authorization.id.text))
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
