package import Runtime
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestTime: Sendable {
    private let now = Mutex(FakeIssuer.now)

    package init() {}

    package var clock: Clock { Clock { [self] in now.withLock { $0 } } }

    package func advance(_ duration: Duration) { now.withLock { $0 = $0 + duration } }
}
