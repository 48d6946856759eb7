/// Gives a sign of life for as long as every loop makes its turns.
///
/// Each round visits one loop after another, and only a round that came through all of them ends with the sign. So a loop that hangs holds
/// it up, whatever the others do, and the watchdog of the service manager ends the process.
package final class Heartbeat: Sendable {
    private let loops: [Loop]
    private let pause: Duration
    private let beat: @Sendable () -> Void

    /// - Parameters:
    ///   - pause: the time between two rounds.
    ///   - beat: called on the last loop after each round.
    package init(of loops: [Loop], every pause: Duration, _ beat: @escaping @Sendable () -> Void) {
        self.loops = loops
        self.pause = pause
        self.beat = beat
    }

    /// Begins the first round. The rounds end when the heartbeat is not kept any more.
    package func begin() { visit(0) }

    private func visit(_ index: Int) {
        guard loops.indices.contains(index) else { return }
        loops[index].execute { [weak self] in
            guard let self else { return }
            if index + 1 < loops.count { visit(index + 1) } else { finish(on: loops[index]) }
        }
    }

    private func finish(on loop: Loop) {
        beat()
        loop.schedule(after: pause) { [weak self] in self?.visit(0) }
    }
}
