import Synchronization
import Testing

@testable import Runtime

@Suite struct WatchdogTests {
    @Test func `SEC-49 acts although every loop is busy and no task gets a turn`() async throws {
        let end = End()
        let busy = (0..<4).map { index in try? Loop(index: index) }
        for loop in busy {
            loop?.execute { while !end.hasCome {} }
        }
        // At least as many tasks as there are threads for them.
        for _ in 0..<64 {
            Task { while !end.hasCome {} }
        }
        let watchdog = try Watchdog(after: .milliseconds(1)) { end.come() }
        watchdog.begin()
        for loop in busy {
            await withCheckedContinuation { continuation in loop?.execute { continuation.resume() } }
        }
        #expect(end.hasCome)
    }

    @Test func `does nothing before it is told to begin`() async throws {
        let order = Mutex<[String]>([])
        let watchdog = try Watchdog(after: .zero) { order.withLock { $0.append("bark") } }
        order.withLock { $0.append("begin") }
        watchdog.begin()
        while order.withLock({ $0.count }) < 2 { await Task.yield() }
        #expect(order.withLock { $0 } == ["begin", "bark"])
    }
}

private final class End: Sendable {
    private let flag = Atomic<Bool>(false)
    var hasCome: Bool { flag.load(ordering: .relaxed) }
    func come() { flag.store(true, ordering: .relaxed) }
}
