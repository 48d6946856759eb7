import Testing

@testable import Postgres

private let refusal = ServerError(state: "22012", message: "division by zero")
private let stale = ServerError(state: "26000", message: "prepared statement does not exist")
private let withheld = PostgresError.sql(state: "22012", message: "message withheld, it may quote a value")

extension Pipeline {
    /// Everything that is to be sent, in short form: `p` prepare, `x` execute, `r` run, `s` sync, with the statement's text.
    fileprivate mutating func sent() -> [String] {
        endReads()
        var commands: [String] = []
        while let command = next() {
            switch command {
            case .prepare(let name, let sql): commands.append("p \(name) \(sql.text)")
            case .execute(let name, _): commands.append("x \(name)")
            case .run(let sql): commands.append("r \(sql.text)")
            case .sync: commands.append("s")
            }
        }
        return commands
    }

    fileprivate mutating func receive(all received: Received...) -> [Action] { received.map { receive($0) } }
    fileprivate mutating func write(_ ticket: Int, _ statements: SQL..., mayRepeat: Bool = true) {
        write(Write(ticket: ticket, statements: statements, mayRepeat: mayRepeat))
    }
}

@Suite struct PipelineReadTests {
    var pipeline = Pipeline()

    @Test mutating func `prepares a statement once and sends reads of a turn under one sync`() {
        pipeline.read("A", 1)
        pipeline.read("A", 2)
        pipeline.read("B", 3)
        #expect(pipeline.sent() == ["p s1 A", "x s1", "x s1", "p s2 B", "x s2", "s"])
        #expect(pipeline.receive(all: .rows, .rows, .rows) == [.none, .answer(1), .answer(2)])
        #expect(pipeline.receive(all: .rows, .rows, .synced) == [.none, .answer(3), .none])
        #expect(!pipeline.isAwaiting)
        pipeline.read("B", 4)
        #expect(pipeline.sent() == ["x s2", "s"])
    }

    @Test mutating func `gathers up to sixteen reads of a turn`() {
        #expect(!pipeline.gathersReads)
        for ticket in 1...15 {
            pipeline.read("A", ticket)
            #expect(pipeline.gathersReads)
        }
        pipeline.read("A", 16)
        #expect(!pipeline.gathersReads)
        pipeline.endReads()
        pipeline.read("A", 17)
        #expect(pipeline.gathersReads)
        pipeline.endReads()
        #expect(!pipeline.gathersReads)
    }

    @Test mutating func `sends what an error made the server skip again, each under its own sync`() {
        for (ticket, text) in ["A", "B", "C", "D"].enumerated() { pipeline.read(SQL(unsafe: text), ticket) }
        _ = pipeline.sent()
        #expect(pipeline.receive(all: .rows, .rows, .rows, .refused(refusal)) == [.none, .answer(0), .none, .fail(1, withheld)])
        #expect(pipeline.receive(all: .skipped, .skipped, .skipped, .skipped, .synced) == [.none, .none, .none, .none, .none])
        #expect(pipeline.sent() == ["p s5 C", "x s5", "s", "p s6 D", "x s6", "s"])
        // Now an error of one does not affect the other any more.
        #expect(pipeline.receive(all: .rows, .refused(refusal), .synced) == [.none, .fail(2, withheld), .none])
        #expect(pipeline.receive(all: .rows, .rows, .synced) == [.none, .answer(3), .none])
    }

    @Test mutating func `fails the read whose prepare is refused, and prepares anew for the next`() {
        let error = ServerError(state: "42P01", message: "relation \"t\" does not exist")
        pipeline.read("A", 1)
        pipeline.read("A", 2)
        #expect(pipeline.sent() == ["p s1 A", "x s1", "x s1", "s"])
        let failure = PostgresError.sql(state: "42P01", message: "relation \"t\" does not exist, in: A")
        #expect(pipeline.receive(all: .refused(error), .skipped, .skipped, .synced) == [.none, .fail(1, failure), .none, .none])
        #expect(pipeline.sent() == ["p s2 A", "x s2", "s"])
        #expect(pipeline.receive(all: .rows, .rows, .synced) == [.none, .answer(2), .none])
    }

    @Test mutating func `prepares again what the server has forgotten, once`() {
        pipeline.read("A", 1)
        _ = pipeline.sent()
        _ = pipeline.receive(all: .rows, .rows, .synced)
        pipeline.read("A", 2)
        #expect(pipeline.sent() == ["x s1", "s"])
        #expect(pipeline.receive(all: .refused(stale), .synced) == [.none, .none])
        #expect(pipeline.sent() == ["p s2 A", "x s2", "s"])
        #expect(pipeline.receive(all: .rows, .refused(stale)).last == .fail(2, .sql(state: "26000", message: stale.message)))
    }

    @Test mutating func `repeats a read that counted on a prepare which was skipped`() {
        pipeline.read("bad", 1)
        pipeline.read("A", 2)
        #expect(pipeline.sent() == ["p s1 bad", "x s1", "p s2 A", "x s2", "s"])
        pipeline.read("A", 3)
        #expect(pipeline.sent() == ["x s2", "s"])
        #expect(pipeline.receive(all: .rows, .refused(refusal), .skipped, .skipped, .synced).contains(.fail(1, withheld)))
        #expect(pipeline.sent() == ["p s3 A", "x s3", "s"])
        #expect(pipeline.receive(all: .refused(stale), .synced) == [.none, .none])
        #expect(pipeline.sent() == ["x s3", "s"])
        #expect(pipeline.receive(all: .rows, .rows, .synced, .rows, .synced) == [.none, .answer(2), .none, .answer(3), .none])
    }

    @Test mutating func `tells executions that were sent before a prepare was refused the reason of the refusal`() {
        let locked = ServerError(state: "55P03", message: "canceling statement due to lock timeout")
        for ticket in 1...4 { pipeline.read("A", ticket) }
        _ = pipeline.sent()
        #expect(pipeline.receive(all: .refused(locked), .skipped, .skipped, .skipped, .skipped, .synced).contains(.fail(1, .locked)))
        #expect(pipeline.sent() == ["p s2 A", "x s2", "s", "x s2", "s", "x s2", "s"])
        pipeline.write(5, "A", mayRepeat: false)
        #expect(pipeline.sent() == ["x s2", "s"])
        #expect(pipeline.receive(all: .refused(locked), .skipped, .synced) == [.none, .fail(2, .locked), .none])
        #expect(
            pipeline.receive(all: .refused(stale), .synced, .refused(stale), .synced).filter { $0 != .none } == [
                .fail(3, .locked), .fail(4, .locked),
            ])
        #expect(pipeline.receive(all: .refused(stale), .synced) == [.none, .fail(5, .locked)])
        // Later ones are prepared anew, and what the server forgets of them has no such reason.
        pipeline.read("A", 6)
        #expect(pipeline.sent() == ["p s3 A", "x s3", "s"])
        _ = pipeline.receive(all: .rows, .rows, .synced)
        pipeline.write(7, "A", mayRepeat: false)
        _ = pipeline.sent()
        #expect(pipeline.receive(all: .refused(stale), .synced).last == .fail(7, .sql(state: "26000", message: stale.message)))
    }

    @Test mutating func `ends a group that grows too long`() {
        pipeline = Pipeline(readsPerSync: 2)
        for ticket in 1...3 { pipeline.read("A", ticket) }
        #expect(pipeline.sent() == ["p s1 A", "x s1", "x s1", "s", "x s1", "s"])
    }

    @Test mutating func `pauses between groups while too much is awaited`() {
        pipeline = Pipeline(depth: 3, readsPerSync: 2)
        for ticket in 1...4 { pipeline.read("A", ticket) }
        #expect(pipeline.sent() == ["p s1 A", "x s1", "x s1", "s"])
        #expect(pipeline.receive(all: .rows) == [.none])
        #expect(pipeline.sent() == [])
        #expect(pipeline.receive(all: .rows) == [.answer(1)])
        #expect(pipeline.sent() == ["x s1", "x s1", "s"])
    }

    @Test mutating func `sends statements unprepared once the table is full`() {
        pipeline = Pipeline(statements: 1)
        pipeline.read("A", 1)
        pipeline.read("B", 2)
        #expect(pipeline.sent() == ["p s1 A", "x s1", "r B", "s"])
        #expect(pipeline.receive(all: .rows, .rows, .rows, .synced) == [.none, .answer(1), .answer(2), .none])
    }

    @Test mutating func `sends a text unprepared for other types than it was prepared for`() {
        pipeline.read("SELECT \(1)", 1)
        pipeline.read("SELECT \("x")", 2)
        #expect(pipeline.sent() == ["p s1 SELECT $1", "x s1", "r SELECT $1", "s"])
    }

    @Test func `connections may prepare the same text for different types`() {
        var (one, another) = (Pipeline(), Pipeline())
        one.read("SELECT \(1)", 1)
        #expect(one.sent() == ["p s1 SELECT $1", "x s1", "s"])
        for ticket in 1...2 { another.read("SELECT \("x")", ticket) }
        #expect(another.sent() == ["p s1 SELECT $1", "x s1", "x s1", "s"])
    }

    @Test mutating func `drops the connection when the server ends it or answers out of step`() {
        pipeline.read("A", 1)
        _ = pipeline.sent()
        let shutdown = ServerError(state: "57P01", message: "terminating connection", endsConnection: true)
        #expect(pipeline.receive(.refused(shutdown)) == .drop("terminating connection (57P01)"))
        #expect(pipeline.receive(.synced) == .drop("the server's answers do not fit what was sent"))
        var idle = Pipeline()
        #expect(idle.receive(.rows) == .drop("a result that nothing awaits"))
    }
}

@Suite struct PipelineWriteTests {
    var pipeline = Pipeline()

    @Test mutating func `finishes a write only when its sync is answered`() {
        pipeline.write(1, "A", "B")
        #expect(pipeline.sent() == ["p s1 A", "x s1", "p s2 B", "x s2", "s"])
        #expect(pipeline.receive(all: .rows, .rows, .rows, .rows) == [.none, .keep(1), .none, .keep(1)])
        #expect(pipeline.receive(.synced) == .finish(1))
    }

    @Test mutating func `fails a write at its sync with its first error`() {
        pipeline.write(1, "A", "B", "C")
        _ = pipeline.sent()
        #expect(
            pipeline.receive(all: .rows, .rows, .rows, .refused(refusal), .skipped, .skipped) == [
                .none, .keep(1), .none, .none, .none, .none,
            ])
        #expect(pipeline.receive(.synced) == .fail(1, withheld))
        pipeline.write(2, "A")
        #expect(pipeline.sent() == ["x s1", "s"])
        #expect(pipeline.receive(all: .rows, .synced) == [.keep(2), .finish(2)])
    }

    @Test mutating func `fails a write whose prepare is refused`() {
        let error = ServerError(state: "42601", message: "syntax error")
        pipeline.write(1, "A")
        _ = pipeline.sent()
        #expect(
            pipeline.receive(all: .refused(error), .skipped, .synced).last == .fail(1, .sql(state: "42601", message: "syntax error, in: A"))
        )
    }

    @Test mutating func `fails a write that the commit refuses`() {
        let late = ServerError(state: "23503", message: "…", constraint: "t_fkey")
        pipeline.write(1, "A")
        _ = pipeline.sent()
        #expect(
            pipeline.receive(all: .rows, .rows, .refused(late), .synced) == [
                .none, .keep(1), .none, .fail(1, .constraint(name: "t_fkey", state: "23503")),
            ])
    }

    @Test mutating func `sends a write again, once, when a statement of it was forgotten`() {
        pipeline.write(1, "A")
        _ = pipeline.sent()
        _ = pipeline.receive(all: .rows, .rows, .synced)
        pipeline.write(2, "A", "B")
        #expect(pipeline.sent() == ["x s1", "p s2 B", "x s2", "s"])
        #expect(pipeline.receive(all: .refused(stale), .skipped, .skipped, .synced) == [.none, .none, .none, .restart(2)])
        #expect(pipeline.sent() == ["p s3 A", "x s3", "p s4 B", "x s4", "s"])
        #expect(pipeline.receive(all: .rows, .refused(stale), .skipped, .skipped).allSatisfy { $0 == .none })
        #expect(pipeline.receive(.synced) == .fail(2, .sql(state: "26000", message: stale.message)))
    }

    @Test mutating func `doesn't repeat a step inside a transaction, but prepares it again the next time`() {
        pipeline.write(1, "A")
        _ = pipeline.sent()
        _ = pipeline.receive(all: .rows, .rows, .synced)
        pipeline.write(2, "A", mayRepeat: false)
        _ = pipeline.sent()
        #expect(pipeline.receive(all: .refused(stale), .synced).last == .fail(2, .sql(state: "26000", message: stale.message)))
        pipeline.write(3, "A", mayRepeat: false)
        #expect(pipeline.sent() == ["p s2 A", "x s2", "s"])
    }

    @Test mutating func `leaves a server that takes no writes, but not for a read that writes`() {
        let readOnly = ServerError(state: "25006", message: "cannot execute INSERT in a read-only transaction")
        pipeline.read("A", 1)
        pipeline.write(2, "B")
        _ = pipeline.sent()
        #expect(pipeline.receive(all: .rows, .refused(readOnly)).last == .fail(1, .sql(state: "25006", message: readOnly.message)))
        #expect(pipeline.receive(all: .synced, .rows, .refused(readOnly)).last == .leave("\(readOnly.message) (25006)"))
    }

    @Test mutating func `takes one write's failure for no other's`() {
        pipeline.write(1, "A")
        pipeline.write(2, "A")
        #expect(pipeline.sent() == ["p s1 A", "x s1", "s", "x s1", "s"])
        #expect(pipeline.receive(all: .rows, .refused(refusal), .synced).last == .fail(1, withheld))
        #expect(pipeline.receive(all: .rows, .synced) == [.keep(2), .finish(2)])
    }
}
