package import Logging

extension Logger {
    /// For commands. What a kit logs there, an outage or a refusal, is also the error or the finding that the command prints.
    package static let silent = Logger(label: "gatehouse") { _ in SwiftLogNoOpLogHandler() }
}
