import Synchronization

/// A value that is made when it is first used, and kept. Threads that use it at the same time share one.
final class Lazy<Value: Sendable>: Sendable {
    private enum State {
        case unmade(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Mutex<State>

    init(_ make: @escaping @Sendable () -> Value) { state = Mutex(.unmade(make)) }

    init(made value: Value) { state = Mutex(.made(value)) }

    var value: Value {
        state.withLock { state in
            switch state {
            case .made(let value): return value
            case .unmade(let make):
                let value = make()
                state = .made(value)
                return value
            }
        }
    }
}
