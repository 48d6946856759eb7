import Glibc
import Runtime
import Synchronization
import Testing

@testable import Crypto

@Suite struct HashingPoolTests {
    @Test func `gives back what the work gives`() async throws {
        let pool = HashingPool(threads: 2, queue: 100, metrics: Metrics())
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 { group.addTask { try await pool.run { number * number } } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(answers == Set((0..<50).map { $0 * $0 }))
        await pool.stop()
    }

    @Test func `SEC-20 refuses at once what the queue has no room for, and takes work again when it has`() async throws {
        let metrics = Metrics()
        let pool = HashingPool(threads: 1, queue: 2, metrics: metrics)
        let gate = Gate()
        let running = Task { try await pool.run { gate.wait() } }
        await gate.untilSomebodyWaits()
        let waiting = (0..<2).map { _ in Task { try await pool.run {} } }
        while !metrics.text().contains("gatehouse_hashing_queue 2\n") { await Task.yield() }
        await #expect(throws: HashingPool.Full.self) { try await pool.run {} }
        #expect(metrics.text().contains("gatehouse_hashing_refused_total 1\n"))
        gate.open()
        try await running.value
        for task in waiting { try await task.value }
        try await pool.run {}
        #expect(metrics.text().contains("gatehouse_hashing_waiting_seconds_count 4\n"))
        await pool.stop()
    }

    @Test func `SEC-20 works off the loop, which goes on meanwhile, and comes back to it`() async throws {
        let loop = try Loop(index: 0)
        let pool = HashingPool(threads: 1, queue: 0, metrics: Metrics())
        let gate = Gate()
        let task = Task(executorPreference: loop) {
            let before = loop.isCurrent
            let during = try await pool.run {
                gate.wait()
                return loop.isCurrent
            }
            return [before, during, loop.isCurrent]
        }
        await gate.untilSomebodyWaits()
        // The loop answers while the work waits.
        #expect(await Task(executorPreference: loop) { loop.isCurrent }.value)
        gate.open()
        #expect(try await task.value == [true, false, true])
        await pool.stop()
    }

    @Test func `SEC-20 gives way to other threads, and further while others are hashed`() async throws {
        let pool = HashingPool(threads: 2, queue: 1, metrics: Metrics())
        @Sendable func niceness() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        let own = niceness()
        #expect(try await pool.run { niceness() } == min(19, own + 5))
        let gate = Gate()
        let running = Task { try await pool.run { gate.wait() } }
        await gate.untilSomebodyWaits()
        #expect(try await pool.run { niceness() } == 19)
        gate.open()
        try await running.value
        await pool.stop()
    }

    @Test func `SEC-20 gives way less again after a crowd`() async throws {
        let pool = HashingPool(threads: 1, queue: 8, metrics: Metrics())
        @Sendable func niceness() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        let own = niceness()
        let gate = Gate()
        let crowd = Task { try await pool.run { gate.wait() } }
        await gate.untilSomebodyWaits()
        let second = Task { try await pool.run { niceness() } }
        gate.open()
        try await crowd.value
        _ = try await second.value
        // The thread of the crowd ends a moment after its last answer.
        var last: Int32 = 19
        for _ in 0..<1000 where last == 19 {
            last = try await pool.run { niceness() }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(last == min(19, own + 5))
        await pool.stop()
    }

    @Test func `finishes what it does before it stops, refuses what waits, and takes nothing after`() async throws {
        let metrics = Metrics()
        let pool = HashingPool(threads: 1, queue: 1, metrics: metrics)
        let gate = Gate()
        let running = Task { try await pool.run { gate.wait() } }
        await gate.untilSomebodyWaits()
        let waiting = Task { try await pool.run { "done" } }
        while !metrics.text().contains("gatehouse_hashing_queue 1\n") { await Task.yield() }
        let stopping = Task { await pool.stop() }
        await #expect(throws: HashingPool.Full.self) { try await waiting.value }
        gate.open()
        await stopping.value
        try await running.value
        await #expect(throws: HashingPool.Full.self) { try await pool.run {} }
        await pool.stop()
    }
}

/// Blocks a thread of the pool until the test opens it.
private final class Gate: Sendable {
    private let waiting = Atomic(false)
    private let isOpen = Atomic(false)

    func wait() {
        waiting.store(true, ordering: .sequentiallyConsistent)
        while !isOpen.load(ordering: .sequentiallyConsistent) { BackgroundThread.yield() }
    }

    func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }

    func untilSomebodyWaits() async { while !waiting.load(ordering: .sequentiallyConsistent) { await Task.yield() } }
}
