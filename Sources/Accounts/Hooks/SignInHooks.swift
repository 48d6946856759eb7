import Crypto
import Postgres
import ProjectSettings
import Runtime

/// Asks the hooks of a sign-in, at its end: the person is proven, no further step is due, and nothing is stored yet. No connection, lock or
/// limit is held meanwhile.
///
/// Guests, custom tokens, sessions of Firebase's that go on here and sessions that only replace another one ask no hook.
struct SignInHooks: Sendable {
    /// For all hooks of a sign-in together. The JS SDK waits eight seconds for a pop-up's sign-in.
    static let budget: Duration = .milliseconds(6500)

    /// `nil` where no hook can be called, as in commands.
    let caller: (any HookCaller)?
    let clock: Clock

    /// The result of asking.
    struct Verdict: Sendable {
        /// As the hooks would have it.
        let account: Account
        /// For the session alone; `nil` for none.
        let sessionClaims: String?
        /// Statements to commit with the sign-in, behind all else that changes the account.
        let statements: [SQL]
    }

    /// Asks the hooks that are due; `nil` where none is.
    ///
    /// Throws `refusedByHook` and `hookUnavailable`.
    /// - Parameters:
    ///   - isNew: whether the sign-in makes the account.
    ///   - method: the way to sign in, as hooks know it.
    func ask(
        about authentication: Authentication, isNew: Bool, by method: String, in project: ProjectSettings, from client: Session.ClientInfo,
        at now: Instant
    ) async throws(AccountError) -> Verdict? {
        guard let caller, !project.hooks.isEmpty, authentication.asksHooks else { return nil }
        let read = authentication.account
        var (account, sessionClaims) = (read, String?.none)
        var (statements, isAsked) = ([SQL](), false)
        let start = clock.now()
        for event in isNew ? [HookEvent.beforeCreate, .beforeSignIn] : [.beforeSignIn] where !account.disabled {
            guard let hook = project.hooks[event] else { continue }
            let signIn = HookedSignIn(
                account: account, method: method, secondFactor: authentication.secondFactor?.shown, credential: authentication.credential)
            let left = min(Self.budget, Self.budget - (clock.now() - start))
            let answer = try await answer(to: event, signIn, by: hook, within: left, caller, in: project, from: client)
            let before = account
            account.take(answer)
            sessionClaims = answer.sessionClaims ?? sessionClaims
            if account.disabled, !isNew { account.endTokens(at: now) }
            let act = AuditedAct(by: .hook(event.rawValue), on: account.id, from: client, at: now)
            // A new account has its one record, and endpoints are told what it is then. That it is disabled is an act of its own.
            let events = account.hookEvents(since: before).filter { !isNew || $0.action == .accountDisabled }
            statements += act.records(of: events, in: project)
            isAsked = true
        }
        guard isAsked else { return nil }
        var stored = [account.storeHookChanges(since: read, in: project)].compactMap(\.self)
        if account.disabled, !isNew {
            stored += [
                account.expireSignInLinks(in: project, at: now), account.deleteCodes(.allOfDisabled, in: project),
                account.endSessions(because: "account disabled", in: project, at: now),
            ]
        }
        return Verdict(account: account, sessionClaims: sessionClaims, statements: stored + statements)
    }

    private func answer(
        to event: HookEvent, _ signIn: HookedSignIn, by hook: BlockingHook, within time: Duration, _ caller: any HookCaller,
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> HookAnswer {
        if let known = client.hooks?.answer(to: event, about: signIn.account.id) { return known }
        let question = HookQuestion(event, id: Random.token(16), from: client, about: .signIn(signIn))
        let answer = try await caller.answer(to: question, by: hook, within: max(time, .milliseconds(1)), in: project)
        client.hooks?.keep(answer, to: event, about: signIn.account.id)
        return answer
    }

    /// Asks whether a code may go to a phone. Throws as `ask` does.
    func ask(
        aboutMessageTo number: String, for purpose: PhonePurpose, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard let caller, let hook = project.hooks[.beforeSendSms] else { return }
        let question = HookQuestion(.beforeSendSms, id: Random.token(16), from: client, about: .message(purpose, to: number))
        _ = try await caller.answer(to: question, by: hook, within: Self.budget, in: project)
    }
}

extension Authentication {
    /// Whether hooks are asked about it.
    fileprivate var asksHooks: Bool {
        !continuesSession && !isBridged && !isHandedOn && signInProvider != SignInProvider.anonymous
            && signInProvider != SignInProvider.custom
    }
}
