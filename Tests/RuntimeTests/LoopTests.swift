import Glibc
import Synchronization
import Testing

@testable import Runtime

@Suite struct LoopTests {
    @Test func `runs what other threads hand it, in their order`() async throws {
        let loop = try Loop(index: 0)
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<100 { loop.execute { seen.withLock { $0.append(number) } } }
            loop.execute { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<100))
    }

    @Test func `runs at once what it hands itself`() async throws {
        let loop = try Loop(index: 0)
        let order = await on(loop) {
            var order = ["before"]
            let note = Note()
            loop.execute { note.text = "inside" }
            order.append(note.text)
            return order
        }
        #expect(order == ["before", "inside"])
        #expect(!loop.isCurrent)
    }

    @Test func `runs actors and their tasks`() async throws {
        let loop = try Loop(index: 0)
        let counter = Counted(loop: loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await counter.add() } }
        }
        #expect(await counter.count == 100)
        #expect(await counter.wasAlwaysOnLoop)
    }

    @Test func `ends a turn after the jobs that it made ready`() async throws {
        let loop = try Loop(index: 0)
        let counter = Counted(loop: loop)
        #expect(await counter.turn() == ["watcher", "job", "end", "end of end"])
    }

    @Test func `keeps a task that prefers it when the task goes on after a wait`() async throws {
        let loop = try Loop(index: 0)
        let counter = Counted(loop: loop)
        let task = await counter.startWaiting()
        await counter.resume()
        await task.value
        // Through another thread it would come after the turn.
        #expect(await counter.order == ["resumed", "goes on", "end"])
    }

    @Test func `runs timers in the order of their deadlines and not before`() async throws {
        let loop = try Loop(index: 0)
        let note = Note()
        let start = MonotonicTime.read()
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.schedule(after: .milliseconds(20)) {
                    note.text += "c"
                    continuation.resume()
                }
                loop.schedule(after: .milliseconds(1)) { note.text += "a" }
                let cancelled = loop.schedule(after: .milliseconds(5)) { note.text += "x" }
                loop.schedule(after: .milliseconds(10)) { note.text += "b" }
                loop.cancel(cancelled)
            }
        }
        #expect(note.text == "abc")
        #expect(MonotonicTime.read().microseconds(since: start) >= 20_000)
    }

    @Test func `runs timers and foreign work while jobs keep it busy`() async throws {
        let loop = try Loop(index: 0)
        let counter = Counted(loop: loop)
        await counter.keepBusy()
        await withCheckedContinuation { continuation in
            loop.execute { loop.schedule(after: .milliseconds(1)) { loop.execute { continuation.resume() } } }
        }
        await counter.rest()
    }

    @Test func `tells a watcher what its descriptor is ready for until it is unwatched`() async throws {
        let loop = try Loop(index: 0)
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        let (near, far) = (pair[0], pair[1])
        let watcher = Recorder()
        await withCheckedContinuation { continuation in
            loop.execute {
                watcher.whenReady = { interest in
                    #expect(interest.isReadable)
                    var byte: UInt8 = 0
                    #expect(recv(near, &byte, 1, 0) == 1)
                    loop.unwatch(near)
                    continuation.resume()
                }
                #expect(throws: Never.self) { try loop.watch(near, for: .read, watcher) }
                send(far, "ab", 2, 0)
            }
        }
        // The second byte is there, but it is not watched any more.
        await on(loop) { watcher.whenReady = { _ in Issue.record("told after unwatch") } }
        for _ in 0..<10 { await on(loop) {} }
        await withCheckedContinuation { continuation in
            loop.execute {
                watcher.whenReady = { interest in
                    #expect(interest.contains(.write))
                    #expect(!interest.isBroken)
                    loop.close(near)
                    continuation.resume()
                }
                #expect(throws: Never.self) { try loop.watch(near, for: .read, watcher) }
                #expect(throws: Never.self) { try loop.rewatch(near, for: .write) }
            }
        }
        var byte: UInt8 = 0
        #expect(recv(far, &byte, 1, 0) <= 0)
        close(far)
    }

    @Test func `tells no watcher that an earlier one of the turn has removed or replaced`() async throws {
        let loop = try Loop(index: 0)
        var pairs: [[Int32]] = [[0, 0], [0, 0]]
        for index in 0..<2 { #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pairs[index]) == 0) }
        let descriptors = pairs
        let first = Recorder()
        let second = Recorder()
        let told = Note()
        await on(loop) {
            // The watcher that is called first takes the place of the other.
            first.whenReady = { _ in
                told.text += "1"
                loop.unwatch(descriptors[1][0])
                loop.unwatch(descriptors[0][0])
            }
            second.whenReady = { _ in
                told.text += "2"
                loop.unwatch(descriptors[0][0])
                loop.unwatch(descriptors[1][0])
            }
            #expect(throws: Never.self) {
                try loop.watch(descriptors[0][0], for: .read, first)
                try loop.watch(descriptors[1][0], for: .read, second)
            }
            for pair in descriptors { send(pair[1], "a", 1, 0) }
        }
        for _ in 0..<10 { await on(loop) {} }
        #expect(told.text.count == 1)
        for descriptor in descriptors.joined() { close(descriptor) }
    }

    @Test func `fails to watch a number that is not a descriptor`() async throws {
        let loop = try Loop(index: 0)
        let failure = await on(loop) {
            do throws(SystemError) {
                try loop.watch(-1, for: .read, Recorder())
                return nil as SystemError?
            } catch { return error }
        }
        #expect(failure == SystemError("epoll_ctl", code: EBADF))
    }
}

/// Runs `body` on the loop.
private func on<T: Sendable>(_ loop: Loop, _ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body()) } }
}

private final class Note: @unchecked Sendable {
    // @unchecked Sendable because a test touches it on its loop, or after the loop has finished.
    var text = ""
}

private final class Recorder: Watcher, @unchecked Sendable {
    // @unchecked Sendable because a test touches it on its loop only.
    var whenReady: (Interest) -> Void = { _ in }
    nonisolated func ready(_ interest: Interest) { whenReady(interest) }
}

private actor Counted {
    nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var count = 0
    private(set) var wasAlwaysOnLoop = true
    private(set) var order: [String] = []
    private var isBusy = false
    private var waiting: UnsafeContinuation<Void, Never>?

    init(loop: Loop) { self.loop = loop }

    func add() {
        count += 1
        wasAlwaysOnLoop = wasAlwaysOnLoop && loop.isCurrent
    }

    /// The order of events in a turn: the turn itself, a job that it makes ready, an action that it defers.
    func turn() async -> [String] {
        await withCheckedContinuation { continuation in
            loop.atEndOfTurn { self.note("end") { self.loop.atEndOfTurn { self.note("end of end") { continuation.resume() } } } }
            Task { order.append("job") }
            order.append("watcher")
        }
        return order
    }

    func startWaiting() -> Task<Void, Never> { Task.immediate(executorPreference: loop) { await self.wait() } }

    private func wait() async {
        await withUnsafeContinuation { waiting = $0 }
        order.append("goes on")
    }

    func resume() {
        loop.atEndOfTurn { self.note("end") {} }
        waiting?.resume()
        order.append("resumed")
    }

    private nonisolated func note(_ text: String, _ next: () -> Void) {
        assumeIsolated { $0.order.append(text) }
        next()
    }

    /// Always gives the loop another job, until `rest`.
    func keepBusy() {
        isBusy = true
        again()
    }

    func rest() { isBusy = false }

    private func again() { if isBusy { Task { again() } } }
}
