/// A value that must never reach a log line, an error or a dump; `reveal()` marks each place that uses it.
package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    package init(_ value: String) { self.value = value }

    package func reveal() -> String { value }

    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(reflecting: "<secret>") }
}
