package import Testing

/// For suites whose tests use much of what a machine has little of, such as connections of the shared PostgreSQL or servers of their own:
/// of all these tests, whatever their suites, a few run at a time.
package struct TakesTurns: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(4)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite as a whole waits for its tests.
        guard testCase != nil else { return try await function() }
        await Self.turns.begin()
        do {
            try await function()
            await Self.turns.end()
        } catch {
            await Self.turns.end()
            throw error
        }
    }
}

extension Trait where Self == TakesTurns {
    package static var takesTurns: TakesTurns { TakesTurns() }
}

/// Lets a few in at a time, in the order of their coming.
private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func begin() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
