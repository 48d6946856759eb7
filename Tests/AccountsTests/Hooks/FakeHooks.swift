@testable import Accounts
import ProjectSettings
import Synchronization
import Webhooks

/// Stands for the hooks of projects: an answer for each event, and a record of the questions.
final class FakeHooks: HookCaller {
    typealias Answer = @Sendable (HookQuestion) async throws(AccountError) -> HookAnswer

    private struct State {
        var answers: [HookEvent: Answer] = [:]
        var questions: [HookQuestion] = []
        var times: [Duration] = []
    }

    private let state = Mutex(State())

    /// All questions in their order.
    var questions: [HookQuestion] { state.withLock { $0.questions } }
    var events: [HookEvent] { questions.map(\.event) }
    /// How long each call might have taken.
    var times: [Duration] { state.withLock { $0.times } }

    func answer(_ event: HookEvent, _ answer: @escaping Answer) { state.withLock { $0.answers[event] = answer } }

    func answer(_ event: HookEvent, _ change: @escaping @Sendable (inout HookAnswer) -> Void) {
        answer(event) { _ throws(AccountError) in
            var answer = HookAnswer()
            change(&answer)
            return answer
        }
    }

    func refuse(_ event: HookEvent, _ error: AccountError = .refusedByHook(FakeHooks.refusal)) {
        answer(event) { _ throws(AccountError) in throw error }
    }

    static let refusal = HookRefusal(code: 403, status: "PERMISSION_DENIED", message: "Only staff.")
    /// The names of the errors that `expectRefusal` compares.
    static let refused = "\(AccountError.refusedByHook(refusal))"
    static let silent = "\(AccountError.hookUnavailable(.beforeSignIn))"

    func answer(
        to question: HookQuestion, by hook: BlockingHook, within time: Duration, in project: ProjectSettings
    ) async throws(AccountError) -> HookAnswer {
        let answer = state.withLock { state in
            state.questions.append(question)
            state.times.append(time)
            return state.answers[question.event]
        }
        return try await answer?(question) ?? HookAnswer()
    }
}

extension ProjectSettings {
    /// The same project with these hooks.
    func asking(_ events: HookEvent...) -> ProjectSettings {
        var project = self
        for event in events {
            project.hooks[event] = BlockingHook(Webhook(url: "https://hooks.example.com/\(event.rawValue)", secrets: []))
        }
        return project
    }
}

extension HookQuestion {
    /// The account that a question before a sign-in is about.
    var account: Account? { if case .signIn(let signIn) = subject { signIn.account } else { nil } }
    var signIn: HookedSignIn? { if case .signIn(let signIn) = subject { signIn } else { nil } }
}
