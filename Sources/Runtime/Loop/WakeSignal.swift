import Synchronization

/// Wakes one task that waits for work, from anywhere in the process, and tells it which projects have work.
///
/// Several signals before the task wakes up count as one.
package final class WakeSignal: Sendable {
    /// One element for each `send`, until `finish`; for one reader.
    package let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let projects = Mutex<Set<String>>([])

    package init() {
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Says that a project has work; `nil` where no work is new, but the task can do more of it.
    package func send(for project: String? = nil) {
        if let project { projects.withLock { _ = $0.insert(project) } }
        continuation.yield()
    }

    /// The projects of all signals since the last call.
    package func takeProjects() -> Set<String> {
        projects.withLock { projects in
            defer { projects = [] }
            return projects
        }
    }

    /// Ends `signals`.
    package func finish() { continuation.finish() }
}
