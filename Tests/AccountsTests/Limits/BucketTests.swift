import ProjectSettings
import Runtime
import Testing

@testable import Accounts
import Text

/// The rule alone, as a dialogue with a bucket at times that the test sets.
@Suite struct BucketTests {
    private let start = Instant(seconds: 1_800_000_000)
    private let rate = Rate(3, per: .seconds(30))

    private func empty(_ rate: Rate, at now: Instant) -> Bucket {
        var bucket = Bucket()
        while bucket.take(rate, at: now) {}
        return bucket
    }

    private func takes(_ count: Int, _ bucket: inout Bucket, at now: Instant) -> [Bool] {
        var outcomes: [Bool] = []
        for _ in 0..<count { outcomes.append(bucket.take(rate, at: now)) }
        return outcomes
    }

    @Test func `lets through as many at once as the rate says, and then one an interval`() {
        var bucket = Bucket()
        let outcome1 = takes(5, &bucket, at: start)
        #expect(outcome1 == [true, true, true, false, false])
        let outcome2 = bucket.take(rate, at: start + .seconds(9))
        #expect(!outcome2)
        let outcome3 = bucket.take(rate, at: start + .seconds(10))
        #expect(outcome3)
        let outcome4 = bucket.take(rate, at: start + .seconds(11))
        #expect(!outcome4)
        let outcome5 = takes(4, &bucket, at: start + .seconds(100))
        #expect(outcome5 == [true, true, true, false])
    }

    @Test(arguments: [1, 7, 40, 999_999, 1_000_000])
    func `holds exactly its count, whatever does not divide evenly`(count: Int) {
        var bucket = Bucket()
        let rate = Rate(count, per: .seconds(1))
        var taken = 0
        while bucket.take(rate, at: start) { taken += 1 }
        #expect(taken == count)
    }

    @Test func `a refused take changes nothing, so knocking keeps no door closed`() {
        var bucket = empty(rate, at: start)
        let before = bucket
        for second in 1..<10 {
            let isLet = bucket.take(rate, at: start + .seconds(second))
            #expect(!isLet)
        }
        #expect(bucket == before)
        let outcome6 = bucket.take(rate, at: start + .seconds(10))
        #expect(outcome6)
    }

    @Test func `gives back what was refunded, and no more than it holds`() {
        var bucket = empty(rate, at: start)
        bucket.refund(rate)
        let outcome7 = bucket.take(rate, at: start)
        #expect(outcome7)
        let outcome8 = bucket.take(rate, at: start)
        #expect(!outcome8)
        for _ in 0..<10 { bucket.refund(rate) }
        let outcome9 = takes(4, &bucket, at: start)
        #expect(outcome9 == [true, true, true, false])
    }

    @Test func `no bucket refuses for longer than one span after the clock was set back by a day`() {
        var bucket = empty(rate, at: start)
        let now = start - .seconds(86400)
        let outcome10 = bucket.take(rate, at: now)
        #expect(!outcome10)
        let outcome11 = bucket.take(rate, at: now + rate.span)
        #expect(outcome11)
    }

    @Test func `clocks that differ by minutes take no more than one span more between them`() {
        var bucket = Bucket()
        var taken = 0
        for turn in 0..<1000 where bucket.take(rate, at: turn.isMultiple(of: 2) ? start : start + .seconds(240)) { taken += 1 }
        #expect(taken <= 6)
    }
}
