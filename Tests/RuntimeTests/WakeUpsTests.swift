import Testing

@testable import Runtime

@Suite struct WakeUpsTests {
    private enum Step {
        case line, urgent
        /// What the thread does.
        case gathers, takesAll
    }

    /// Whether each line and each urgent thing must wake the thread.
    private func wakes(_ steps: Step...) -> [Bool] {
        var wakeUps = WakeUps()
        var answers: [Bool] = []
        for step in steps {
            switch step {
            case .line: answers.append(wakeUps.mustWake(urgently: false))
            case .urgent: answers.append(wakeUps.mustWake(urgently: true))
            case .gathers: wakeUps.gather()
            case .takesAll: wakeUps.takeAll()
            }
        }
        return answers
    }

    @Test func `wakes the thread once for all that comes before it takes the lines`() {
        #expect(wakes(.line, .line, .urgent, .takesAll, .urgent, .line) == [true, false, false, true, false])
    }

    @Test func `ends the gathering for what is urgent, once, and for nothing else`() {
        #expect(wakes(.line, .gathers, .line, .urgent, .urgent) == [true, false, true, false])
        #expect(wakes(.line, .gathers, .takesAll, .line, .urgent) == [true, true, false], "a new gathering has not begun")
    }
}
