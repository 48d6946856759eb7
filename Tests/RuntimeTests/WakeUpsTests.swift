import Testing

@testable import Runtime

@Suite struct WakeUpsTests {
    private var wakeUps = WakeUps()

    @Test mutating func `wakes the thread once for all that comes before it takes the lines`() {
        #expect(wakeUps.mustWake(urgently: false))
        #expect(!wakeUps.mustWake(urgently: false))
        #expect(!wakeUps.mustWake(urgently: true), "it has not begun to wait for more")
        wakeUps.takeAll()
        #expect(wakeUps.mustWake(urgently: true))
    }

    @Test mutating func `ends the gathering for what is urgent, once, and for nothing else`() {
        #expect(wakeUps.mustWake(urgently: false))
        wakeUps.gather()
        #expect(!wakeUps.mustWake(urgently: false))
        #expect(wakeUps.mustWake(urgently: true))
        #expect(!wakeUps.mustWake(urgently: true))
        wakeUps.takeAll()
        #expect(wakeUps.mustWake(urgently: false))
        #expect(!wakeUps.mustWake(urgently: true), "a gathering has not begun again")
    }
}
