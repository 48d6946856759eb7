import HTTP

/// A note of `gatehouse check` on the address at which metrics and health answer.
package enum OperationsNotes {
    /// `nil` when all is well.
    package static func of(_ settings: ServerSettings) -> String? {
        let address = settings.operations ?? settings.listen
        guard !address.host.isLoopback else { return nil }
        let remedy =
            settings.operations == nil
            ? "set operations.listen to an address that only your own machines reach" : "let only your own machines reach it"
        return "/metrics and /health answer on \(address), which is not loopback: \(remedy)"
    }
}
