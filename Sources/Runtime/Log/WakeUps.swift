/// Decides when the thread that writes the log is woken: waking it for each line would cost more than the lines.
struct WakeUps {
    /// Whether the thread was woken since it took the lines.
    private var isWoken = false
    /// Whether the thread waits for more lines.
    private var isGathering = false

    /// Something has come for the thread. Whether the caller must wake it: for the first line since it took the lines, and, if what came is
    /// urgent, to end its gathering.
    mutating func mustWake(urgently isUrgent: Bool) -> Bool {
        let mustWake = !isWoken || isUrgent && isGathering
        isWoken = true
        if mustWake { isGathering = false }
        return mustWake
    }

    /// The thread begins to wait for more lines.
    mutating func gather() { isGathering = true }

    /// The thread takes the lines.
    mutating func takeAll() { (isWoken, isGathering) = (false, false) }
}
