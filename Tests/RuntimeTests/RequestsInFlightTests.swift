import Runtime
import TestKit
import Testing

@Suite struct RequestsInFlightTests {
    private struct Down: Error {}

    /// Ends only when it is told to.
    private actor Work {
        private var waiter: CheckedContinuation<Void, Never>?
        private(set) var begun = 0

        func run() async {
            begun += 1
            await withCheckedContinuation { waiter = $0 }
        }

        func end() { waiter?.resume() }
    }

    @Test func `one request does the work, and the others get what came of it`() async throws {
        let (inFlight, work) = (RequestsInFlight<Int, Down>(), Work())
        let ask: @Sendable () async throws -> Int = {
            try await inFlight.once([1]) { () async throws(Down) in
                await work.run()
                return 7
            }
        }
        let first = Task { try await ask() }
        try await eventually { await work.begun == 1 }
        let others = (0..<3).map { _ in Task { try await ask() } }
        try await eventually { inFlight.waiting(for: [1]) == 3 }
        // Work of another name does not wait.
        #expect(try await inFlight.once([2]) { 8 } == 8)
        await work.end()
        for task in [first] + others { #expect(try await task.value == 7) }
        #expect(await work.begun == 1)
    }

    @Test func `a failure is everyone's, and the next request begins anew`() async throws {
        let (inFlight, work) = (RequestsInFlight<Int, Down>(), Work())
        let ask: @Sendable () async throws -> Int = {
            try await inFlight.once([1]) { () async throws(Down) in
                await work.run()
                throw Down()
            }
        }
        let first = Task { try await ask() }
        try await eventually { await work.begun == 1 }
        let other = Task { try await ask() }
        try await eventually { inFlight.waiting(for: [1]) == 1 }
        await work.end()
        for task in [first, other] { await #expect(throws: Down.self) { try await task.value } }
        #expect(try await inFlight.once([1]) { 9 } == 9)
    }

    @Test func `where the first request was told to end, another one does the work`() async throws {
        let (inFlight, work) = (RequestsInFlight<Int, Down>(), Work())
        let first = Task {
            try await inFlight.once([1]) { () async throws(Down) in
                await work.run()
                throw Down()
            }
        }
        try await eventually { await work.begun == 1 }
        let other = Task { try await inFlight.once([1]) { 7 } }
        try await eventually { inFlight.waiting(for: [1]) == 1 }
        first.cancel()
        await work.end()
        #expect(try await other.value == 7)
    }
}
