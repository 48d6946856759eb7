/// Repeats a call of Google's while the answer is that it cannot be given now, after pauses that grow to a minute.
package struct GoogleAttempts: Sendable {
    /// Two minutes in all, beside the time that the calls take.
    static let pauses: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }

    private let tell: @Sendable (GoogleFailure, _ pause: Duration) -> Void
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - tell: is called before each pause, with the reason for it.
    ///   - wait: waits for so long; throws when the caller is no longer interested.
    package init(
        tell: @escaping @Sendable (GoogleFailure, _ pause: Duration) -> Void,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.tell = tell
        self.wait = wait
    }

    func callAsFunction<Answer>(_ call: () async throws(GoogleFailure) -> Answer) async throws(GoogleFailure) -> Answer {
        for pause in Self.pauses {
            do { return try await call() } catch {
                guard error.mayPass else { throw error }
                tell(error, pause)
            }
            do { try await wait(pause) } catch { throw .unavailable("the command was told to end") }
        }
        return try await call()
    }
}

extension GoogleFailure {
    /// Whether the same call may succeed later.
    fileprivate var mayPass: Bool {
        if case .unavailable = self { true } else { false }
    }
}
