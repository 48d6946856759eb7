package import ProjectSettings

/// Asks the hooks of projects. The rules decide when one is asked and what its answer may change; the target `Hooks` makes the call and judges
/// the answer.
package protocol HookCaller: Sendable {
    /// The sound answer of `hook`. An empty one where the hook gave none and its entry says that things go on then.
    ///
    /// Throws `refusedByHook`, and `hookUnavailable` where the hook gave no sound answer and nothing goes on without one.
    /// - Parameter time: how long the call may take.
    func answer(
        to question: HookQuestion, by hook: BlockingHook, within time: Duration, in project: ProjectSettings
    ) async throws(AccountError) -> HookAnswer
}

/// The refusal of a hook, as its page worded it.
package struct HookRefusal: Sendable, Equatable {
    /// The status of the page's answer.
    package let code: Int
    /// Google's name of the status, such as `PERMISSION_DENIED`.
    package let status: String
    /// For the person. At most 300 characters, none of which changes how the rest is read.
    package let message: String

    package init(code: Int, status: String, message: String) {
        self.code = code
        self.status = status
        self.message = message
    }
}

extension AccountError {
    /// Whether a hook, or the lack of its answer, is the reason.
    package var isOfHook: Bool {
        switch self {
        case .refusedByHook, .hookUnavailable: true
        default: false
        }
    }
}
