import Runtime
import Testing

@testable import Postgres

/// A job such as "a"; or such as "s1", which may share and locks row 1; or such as "z1", which shares with its own kind; or such as "w1", which
/// waits for row 1 and shares with none.
private struct TestJob: PoolJob {
    let name: String
    var lock: [UInt8]? { sharing == nil && !name.hasPrefix("w") ? nil : Array(name.utf8.dropFirst().prefix(1)) }
    var sharing: Durability? { name.hasPrefix("s") ? .flushed : name.hasPrefix("z") ? .soon : nil }
}

@Suite struct WritePoolTests {
    private let now = MonotonicTime.read()
    private var pool = WritePool<TestJob>(connections: 2, room: 9, roomOfOneRow: 5, together: 3)

    /// All actions that the pool wants now, in short form: `open 0`, `a on 1`.
    private mutating func actions(mayOpen: Bool = true) -> [String] {
        var actions: [String] = []
        while let action = pool.next(mayOpen: mayOpen) {
            switch action {
            case .open(let slot): actions.append("open \(slot)")
            case .run(let jobs, let slot): actions.append("\(jobs.map(\.name).joined(separator: "+")) on \(slot)")
            }
        }
        return actions
    }

    private mutating func add(_ job: String, after delay: Duration = .zero) -> Bool { pool.add(TestJob(name: job), at: now + delay) }
    private mutating func openOne() -> Int? { pool.openOne() }
    private mutating func removeAll() -> [String] { pool.removeAll().map(\.name) }
    private mutating func expire(after delay: Duration) -> [String] {
        pool.expire(at: now + delay, patience: .seconds(2)).map(\.name)
    }

    /// Opens both connections.
    private mutating func open() {
        _ = (openOne(), openOne())
        pool.free(0)
        pool.free(1)
    }

    @Test mutating func `opens a connection for a job and keeps it for the next`() {
        #expect(actions() == [])
        #expect(add("a"))
        #expect(actions() == ["open 0"])
        #expect(actions() == [])
        pool.free(0)
        #expect(actions() == ["a on 0"])
        pool.free(0)
        #expect(add("b"))
        #expect(actions() == ["b on 0"])
    }

    @Test mutating func `opens no more connections than jobs wait, and serves them in order`() {
        for job in ["a", "b", "c"] { #expect(add(job)) }
        #expect(actions() == ["open 0", "open 1"])
        pool.free(1)
        #expect(actions() == ["a on 1"])
        pool.free(1)
        #expect(actions() == ["b on 1"])
        pool.free(0)
        #expect(actions() == ["c on 0"])
        #expect(pool.count(.busy) == 2 && pool.waitingCount == 0)
    }

    @Test mutating func `gives jobs that may share one connection, in order and only so many`() {
        open()
        for job in ["s1", "s2", "s3", "s4", "a", "s5", "s6"] { #expect(add(job)) }
        #expect(actions() == ["s1+s2+s3 on 0", "s4+s5+s6 on 1"])
        pool.free(1)
        #expect(actions() == ["a on 1"])
        #expect(pool.waitingCount == 0)
    }

    @Test mutating func `lets jobs share with their kind alone, past others that wait`() {
        open()
        for job in ["s1", "z2", "a", "s3", "z4", "s5", "z6"] { #expect(add(job)) }
        #expect(actions() == ["s1+s3+s5 on 0", "z2+z4+z6 on 1"])
        pool.free(0)
        #expect(actions() == ["a on 0"])
        #expect(pool.waitingCount == 0)
    }

    @Test mutating func `shares with no job whose row is locked, wherever it waits`() {
        open()
        for job in ["s1", "z1", "z2", "z3"] { #expect(add(job)) }
        #expect(actions() == ["s1 on 0", "z2+z3 on 1"])
        pool.free(0)
        #expect(actions() == ["z1 on 0"])
    }

    @Test mutating func `looks only so far for jobs of the kind`() {
        pool = WritePool(connections: 2, room: 99, roomOfOneRow: 99, together: 3)
        open()
        #expect(add("s1"))
        for number in 1...24 { #expect(add("a\(number)")) }
        #expect(add("s2"))
        #expect(actions() == ["s1 on 0", "a1 on 1"])
    }

    @Test mutating func `holds jobs up while another has locked their row, and lets others pass`() {
        open()
        for job in ["s1", "s1'", "a", "s1\"", "s1*", "s2"] { #expect(add(job)) }
        #expect(actions() == ["s1+s1'+s1\" on 0", "a on 1"])
        pool.free(1)
        #expect(actions() == ["s2 on 1"])
        pool.free(1)
        #expect(actions() == [])
        pool.free(0)
        #expect(actions() == ["s1* on 0"])
        #expect(add("s1"))
        #expect(actions() == [])
        // The connection broke.
        pool.vacate(0)
        #expect(actions() == ["s1 on 1"])
    }

    @Test mutating func `gives one connection to those who wait for one row, whether they share or not`() {
        open()
        for job in ["w1", "w1'", "s1", "w1*", "w2", "a"] { #expect(add(job)) }
        #expect(actions() == ["w1 on 0", "w2 on 1"])
        pool.free(1)
        #expect(actions() == ["a on 1"])
        pool.free(1)
        #expect(actions() == [])
        pool.free(0)
        #expect(actions() == ["w1' on 0"])
        pool.free(0)
        #expect(actions() == ["s1 on 0"])
    }

    @Test mutating func `runs what comes back before all others, and always has room for it`() {
        for number in 1...9 { #expect(add("a\(number)")) }
        pool.addFirst([TestJob(name: "b1"), TestJob(name: "b2")], at: now)
        #expect(removeAll() == ["b1", "b2"] + (1...9).map { "a\($0)" })
    }

    @Test mutating func `opens another for a job whose connection never came to be`() {
        #expect(add("a"))
        #expect(actions() == ["open 0"])
        pool.vacate(0)
        #expect(!pool.hasConnection)
        #expect(actions(mayOpen: false) == [])
        #expect(actions() == ["open 0"])
        #expect(openOne() == 1)
        #expect(openOne() == nil)
    }

    @Test mutating func `refuses a job when too many wait`() {
        for number in 1...9 { #expect(add("a\(number)")) }
        #expect(!add("b"))
        #expect(removeAll().count == 9)
        #expect(add("c"))
    }

    @Test mutating func `refuses a job when too many wait for its row, and leaves room to the others`() {
        open()
        #expect(add("w1"))
        #expect(actions() == ["w1 on 0"])
        for number in 1...5 { #expect(add("w1-\(number)")) }
        #expect(!add("w1"))
        for job in ["w2", "a", "s1"] { #expect(add(job)) }
        #expect(actions() == ["w2 on 1"])
    }

    @Test mutating func `opens no connection for a job that another one holds up`() {
        #expect(add("w1"))
        #expect(actions() == ["open 0"])
        pool.free(0)
        #expect(actions() == ["w1 on 0"])
        #expect(add("w1"))
        #expect(add("a"))
        #expect(actions() == ["open 1"])
        pool.free(1)
        #expect(actions() == ["a on 1"])
    }

    @Test mutating func `gives up the jobs that have waited too long`() {
        #expect(add("a"))
        #expect(add("b", after: .seconds(1)))
        #expect(pool.oldestWait == now)
        #expect(expire(after: .milliseconds(1999)) == [])
        #expect(expire(after: .seconds(2)) == ["a"])
        #expect(pool.waitingCount == 1)
    }

    @Test mutating func `gives up an old job behind a young one`() {
        #expect(add("a"))
        #expect(add("b", after: .seconds(1)))
        pool.addFirst([TestJob(name: "c")], at: now + .milliseconds(1900))
        #expect(pool.oldestWait == now)
        #expect(expire(after: .seconds(2)) == ["a"])
        #expect(pool.oldestWait == now + .seconds(1))
        #expect(expire(after: .seconds(3)) == ["b"])
        #expect(removeAll() == ["c"])
    }
}

@Suite struct SlabTests {
    private func take(_ key: Int, _ slab: inout Slab<String>) -> String? { slab.remove(key) }

    @Test func `gives a thing out once`() {
        var slab = Slab<String>()
        let first = slab.insert("a")
        _ = slab.insert("b")
        #expect(take(first, &slab) == "a")
        #expect(take(first, &slab) == nil)
        #expect(take(99, &slab) == nil)
        #expect(take(-1, &slab) == nil)
        let third = slab.insert("c")
        #expect(third == first)
        #expect(slab.count == 2)
        let all = slab.removeAll()
        #expect(all.sorted() == ["b", "c"])
        #expect(slab.count == 0)
        #expect(take(first, &slab) == nil)
    }
}

@Suite struct ResolverTests {
    private func target(_ text: String) throws -> ConnectionString { try ConnectionString(Secret(text)) }

    @Test(arguments: [
        "postgresql:///db", "postgresql://127.0.0.1,[::1]/db", "host=/run/postgresql", "host=@abstract",
        "host=name hostaddr=10.0.0.1",
    ])
    func `resolves only names`(text: String) throws {
        #expect(!Resolver.needsResolving(try target(text)))
    }

    @Test func `lists every address of every host with its port`() throws {
        let target = try target("postgresql://one:1,10.0.0.9:2,none:3,two:4/db")
        #expect(Resolver.needsResolving(target))
        let resolved = try #require(
            Resolver.resolved(target) { ["one": ["10.0.0.1", "fd00::1"], "two": ["10.0.0.2"]][$0] ?? [] })
        #expect(resolved["host"] == "one,one,10.0.0.9,two")
        #expect(resolved["hostaddr"] == "10.0.0.1,fd00::1,,10.0.0.2")
        #expect(resolved["port"] == "1,1,2,4")
        #expect(resolved["dbname"] == "db")
    }

    @Test func `says that no name resolves`() throws {
        #expect(Resolver.resolved(try target("postgresql://one,two/db")) { _ in [] } == nil)
    }
}

@Suite struct ConnectionStringTests {
    @Test func `reads back what it writes, whatever the password`() throws {
        let text = #"postgresql://user:it%27s%20%5C%22odd%22@%2Frun%2Fpg:5433/db?application_name=a%20b"#
        let target = try ConnectionString(Secret(text))
        #expect(target["password"] == #"it's \"odd""#)
        let again = try ConnectionString(target.database("other").text)
        #expect(again["password"] == #"it's \"odd""#)
        #expect(again["host"] == "/run/pg" && again["port"] == "5433" && again["dbname"] == "other" && again["application_name"] == "a b")
    }

    @Test func `a pool with a name has it behind the application's`() throws {
        var settings = DatabaseSettings()
        settings.poolName = "console"
        let named = settings.keywords(try ConnectionString(Secret("host=/x application_name=mine")), for: .read)
        #expect(named["application_name"] == "mine console")
        let unnamed = settings.keywords(try ConnectionString(Secret("host=/x")), for: .read)
        #expect(unnamed["application_name"] == nil && unnamed["fallback_application_name"] == "gatehouse console")
    }

    @Test func `keeps what the URL sets beside its own session parameters`() throws {
        let url = try ConnectionString(Secret("host=/x application_name=mine gssencmode=prefer options='-c work_mem=1MB'"))
        let keywords = DatabaseSettings().keywords(url, for: .read)
        #expect(keywords["gssencmode"] == "prefer")
        // Poolers refuse this keyword, so nothing is added to it.
        #expect(keywords["options"] == "-c work_mem=1MB")
    }

    @Test func `begins with another host, each with its own address and port`() throws {
        let three = try ConnectionString(Secret("host=a,b,c hostaddr=10.0.0.1,10.0.0.2,10.0.0.3 port=1,2,3"))
        #expect(three.rotated(by: 4).keywords.map(\.value).sorted() == ["10.0.0.2,10.0.0.3,10.0.0.1", "2,3,1", "b,c,a"])
        let two = try ConnectionString(Secret("host=a,b port=7")).rotated(by: 1)
        #expect(two["host"] == "b,a" && two["port"] == "7")
        #expect(try ConnectionString(Secret("host=a")).rotated(by: 3)["host"] == "a")
    }

    @Test(
        arguments: [
            ("host=a", nil, "read-write"), ("host=a,b", "read-write", "read-write"),
            ("host=a,b target_session_attrs=any", "any", "read-write"),
            ("host=a,b target_session_attrs=primary", "primary", "primary"),
            ("host=a,b target_session_attrs=read-write", "read-write", "read-write"),
            ("host=a,b target_session_attrs=prefer-standby", "prefer-standby", "read-write"),
        ] as [(String, String?, String)])
    func `asks for a server that takes writes, and reads where the URL says`(url: String, read: String?, write: String) throws {
        let target = try ConnectionString(Secret(url))
        #expect(DatabaseSettings().keywords(target, for: .read)["target_session_attrs"] == read)
        #expect(DatabaseSettings().keywords(target, for: .write)["target_session_attrs"] == write)
    }
}
