/// A value whose content no log line, error or dump shows: each gets `description` alone (SEC-21).
package protocol Concealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Concealed {
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(reflecting: description) }
}

/// A value that must never reach a log line, an error or a dump; `reveal()` marks each place that uses it.
package struct Secret: Sendable, Concealed {
    private let value: String

    package init(_ value: String) { self.value = value }

    package func reveal() -> String { value }

    package var description: String { "<secret>" }
}
