import DequeModule
import Runtime
import Testing

@testable import Postgres

@Suite struct WaitingTests {
    private struct Call: Waiting, Equatable {
        let since: MonotonicTime
    }

    @Test func `gives up what has waited for long, also behind what came later`() {
        let now = MonotonicTime.read()
        let calls = [3, 1, 2].map { Call(since: now + .seconds($0)) }
        var line = Deque(calls)
        #expect(line.oldest == calls[1].since)
        #expect(Array(line.expire(at: now + .seconds(12), patience: .seconds(10))) == [calls[1], calls[2]])
        #expect(Array(line) == [calls[0]])
        #expect(line.expire(at: now + .seconds(12), patience: .seconds(10)).isEmpty)
        #expect(line.oldest == calls[0].since)
    }

    @Test func `knows no oldest where nothing waits`() { #expect(Deque<Call>().oldest == nil) }
}
