import Runtime
import Testing

/// Waits until `condition` holds; the time limit only ends a test that hangs.
package func eventually(_ condition: () async throws -> Bool) async throws {
    let end = MonotonicTime.read() + .seconds(600)
    while try await !condition() {
        try #require(MonotonicTime.read() < end, "it never came to be")
        try await Task.sleep(for: .milliseconds(5))
    }
}
