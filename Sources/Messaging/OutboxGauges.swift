import Runtime
import Synchronization

/// How many mails wait and for how long, as last read from the database. Each process reports the whole outbox, so the numbers of several
/// processes must not be added up.
final class OutboxGauges: Sendable {
    private let depth = Mutex<(count: Int, oldest: Instant?)>((0, nil))

    init(_ metrics: Metrics, clock: Clock) {
        metrics.gauge("gatehouse_mail_outbox", "Mails that wait to be sent, in the whole database.") { self.depth.withLock { $0.count } }
        metrics.gauge("gatehouse_mail_outbox_oldest_seconds", "How long the oldest mail has waited, in the whole database.") {
            self.depth.withLock { $0.oldest }.map { max(0, Int((clock.now() - $0).wholeSeconds)) } ?? 0
        }
    }

    func set(_ count: Int, oldest: Instant?) { depth.withLock { $0 = (count, oldest) } }
}
