import HTTP

/// A note of `gatehouse check` and `gatehouse doctor` on the address at which metrics and health answer.
package enum OperationsNotes {
    /// `nil` when all is well.
    package static func of(_ settings: ServerSettings) -> String? { finding(settings).map { "\($0.text): \($0.remedy)" } }

    static func finding(_ settings: ServerSettings) -> Finding? {
        let address = settings.operations ?? settings.listen
        guard !address.host.isLoopback else { return nil }
        return .warning(
            "settings.operations", "/metrics and /health answer on \(address), which is not loopback",
            settings.operations == nil
                ? "set operations.listen to an address that only your own machines reach" : "let only your own machines reach it")
    }
}
