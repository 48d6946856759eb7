package import Testing

/// A trait for suites whose tests need much of a scarce resource, such as connections of the shared PostgreSQL or servers of their own.
/// Only a few of all these tests run at the same time, whatever their suites.
package struct TakesTurns: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(4)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite as a whole does not wait; its tests do.
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

/// Lets a few tests run at a time, in the order of their arrival.
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
