import Runtime
import Testing

@testable import HTTPServer

@Suite struct DeadlinesTests {
    func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(1000 + seconds) * 1_000_000_000) }

    func deadlines() -> Deadlines {
        var limits = ServerLimits()
        limits.headerRead = .seconds(10)
        limits.idle = .seconds(60)
        return Deadlines(limits)
    }

    @Test func `gives what has passed, once and in order`() {
        var deadlines = deadlines()
        deadlines.set(.header, 3, now: time(0))
        deadlines.set(.header, 1, now: time(5))
        deadlines.set(.idle, 2, now: time(0))
        #expect(deadlines.expired(time(9)) == nil)
        #expect(deadlines.expired(time(10))?.slot == 3)
        #expect(deadlines.expired(time(10)) == nil)
        #expect(deadlines.expired(time(60))?.slot == 1)
        let last = deadlines.expired(time(60))
        #expect(last?.slot == 2)
        #expect(last?.kind == .idle)
        #expect(deadlines.expired(time(1000)) == nil)
    }

    @Test func `keeps one deadline a slot, the one set last`() {
        var deadlines = deadlines()
        for slot in 0..<3 { deadlines.set(.header, Int32(slot), now: time(0)) }
        deadlines.set(.idle, 1, now: time(0))
        deadlines.set(.header, 0, now: time(8))
        #expect(deadlines.has(.idle, 1))
        #expect(!deadlines.has(.header, 1))
        #expect(deadlines.expired(time(15))?.slot == 2)
        #expect(deadlines.expired(time(15)) == nil)
        #expect(deadlines.expired(time(18))?.slot == 0)
    }

    @Test func `forgets what is cleared, at the start, in the middle and at the end`() {
        for cleared in 0..<3 {
            var deadlines = deadlines()
            for slot in 0..<3 { deadlines.set(.header, Int32(slot), now: time(0)) }
            deadlines.clear(Int32(cleared))
            deadlines.clear(Int32(cleared))
            deadlines.clear(99)
            var rest: [Int32] = []
            while let (slot, _) = deadlines.expired(time(20)) { rest.append(slot) }
            #expect(rest == [0, 1, 2].filter { $0 != Int32(cleared) })
        }
    }

    @Test func `survives the overflow of its milliseconds`() {
        var deadlines = deadlines()
        let edge = MonotonicTime(nanoseconds: (1 << 32) * 1_000_000 - 5_000_000_000)
        deadlines.set(.header, 0, now: edge)
        #expect(deadlines.expired(edge + .seconds(9)) == nil)
        #expect(deadlines.expired(edge + .seconds(10))?.slot == 0)
    }
}
