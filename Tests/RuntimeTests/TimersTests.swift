import Testing

@testable import Runtime

@Suite struct TimersTests {
    func time(_ seconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `gives what is due by deadline, whatever the order of adding`() {
        var timers = Timers()
        let log = Log()
        for second in [5, 3, 9, 1, 7, 2, 8, 4, 6] as [UInt64] { _ = timers.add(at: time(second)) { log.seconds.append(second) } }
        while let action = timers.takeDue(at: time(6)) { action() }
        #expect(log.seconds == [1, 2, 3, 4, 5, 6])
        while let action = timers.takeDue(at: time(6)) { action() }
        #expect(log.seconds.count == 6)
        while let action = timers.takeDue(at: time(100)) { action() }
        #expect(log.seconds == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test func `forgets the cancelled among many`() {
        var timers = Timers()
        let log = Log()
        let seconds = (0..<500).map { (number: UInt64) -> UInt64 in number * 37 % 500 }
        let all = seconds.map { second in timers.add(at: time(second)) { log.seconds.append(second) } }
        for (index, timer) in all.enumerated() where index % 10 != 0 { timers.cancel(timer) }
        timers.cancel(all[1])
        while let action = timers.takeDue(at: time(1000)) { action() }
        #expect(log.seconds == stride(from: 0, to: 500, by: 10).map { seconds[$0] }.sorted())
    }

    @Test func `runs no action that one which is due at the same time has cancelled`() {
        var timers = Timers()
        let first = timers.add(at: time(1)) {}
        let second = timers.add(at: time(2)) {}
        #expect(timers.takeDue(at: time(3)) != nil)
        timers.cancel(second)
        timers.cancel(first)
        #expect(timers.takeDue(at: time(3)) == nil)
    }

    @Test func `asks to be armed only for an earlier deadline`() {
        var timers = Timers()
        #expect(timers.needsArming() == nil)
        _ = timers.add(at: time(5)) {}
        #expect(timers.needsArming() == time(5))
        _ = timers.add(at: time(6)) {}
        #expect(timers.needsArming() == nil)
        _ = timers.add(at: time(4)) {}
        #expect(timers.needsArming() == time(4))
        #expect(timers.takeDue(at: time(4)) != nil)
        _ = timers.add(at: time(7)) {}
        #expect(timers.needsArming() == nil)
        #expect(timers.takeDue(at: time(4)) == nil)
        #expect(timers.needsArming() == time(5))
    }

    private final class Log { var seconds: [UInt64] = [] }
}
