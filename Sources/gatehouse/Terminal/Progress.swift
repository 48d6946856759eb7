import Glibc
import Runtime

/// Shows how far long work has come: one line on standard error, where that is a terminal and the result does not go to the same one.
struct Progress {
    private let things: String
    private let total: Int?
    private let width: Int?
    private var done = 0
    private var shown = MonotonicTime(nanoseconds: 0)

    /// - Parameters:
    ///   - things: what is counted, such as `users`.
    ///   - total: how many there are, where that is known.
    ///   - sharesTerminal: whether the result is printed meanwhile, so that it would be between the lines of the result on a terminal.
    init(_ things: String, of total: Int? = nil, sharesTerminal: Bool) {
        self.things = things
        self.total = total
        width = sharesTerminal && Terminal.width != nil ? nil : Terminal.width(of: STDERR_FILENO)
    }

    mutating func add(_ count: Int) {
        done += count
        let now = MonotonicTime.read()
        guard now.microseconds(since: shown) > 100_000 else { return }
        shown = now
        show(text)
    }

    /// Takes the line away, so that what comes next stands in its place.
    func finish() { show("") }

    /// Prints a line on standard error in place of the line that shows there how far the work has come, which comes again below it.
    static func interrupt(_ text: String) {
        CommandSupport.remark((isatty(STDERR_FILENO) == 1 ? erasure : "") + text)
    }

    /// Goes to the beginning of the line and erases it.
    private static let erasure = "\r\u{1B}[K"

    private var text: String {
        guard let total, total > 0 else { return "\(done) \(things)" }
        let parts = 24
        let full = min(parts, parts * done / total)
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: parts - full)
        return "[\(bar)] \(done) of \(total) \(things)"
    }

    private func show(_ text: String) {
        guard let width else { return }
        let line = Array((Self.erasure + text.shortened(to: width - 1)).utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
