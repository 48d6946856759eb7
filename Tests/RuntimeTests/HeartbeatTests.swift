import Dispatch
import Synchronization
import Testing

@testable import Runtime

@Suite struct HeartbeatTests {
    @Test func `beats again and again while all loops make turns`() async throws {
        let loops = try (0..<3).map { try Loop(index: $0) }
        let (beats, continuation) = AsyncStream.makeStream(of: Void.self)
        let heartbeat = Heartbeat(of: loops, every: .milliseconds(1)) { continuation.yield() }
        heartbeat.begin()
        var iterator = beats.makeAsyncIterator()
        for _ in 0..<3 { await iterator.next() }
        withExtendedLifetime(heartbeat) {}
    }

    @Test func `one loop that hangs stops it, whatever the others do`() async throws {
        let loops = try (0..<3).map { try Loop(index: $0) }
        let release = DispatchSemaphore(value: 0)
        let beats = Mutex(0)
        loops[1].execute { release.wait() }
        let heartbeat = Heartbeat(of: loops, every: .milliseconds(1)) { beats.withLock { $0 += 1 } }
        heartbeat.begin()
        for loop in [loops[0], loops[2]] {
            for _ in 0..<10 {
                await withCheckedContinuation { continuation in
                    loop.execute { loop.schedule(after: .milliseconds(1)) { continuation.resume() } }
                }
            }
        }
        #expect(beats.withLock { $0 } == 0)
        release.signal()
        while beats.withLock({ $0 }) == 0 { await Task.yield() }
        withExtendedLifetime(heartbeat) {}
    }
}
