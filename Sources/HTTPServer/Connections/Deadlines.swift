import Runtime

/// The deadlines of connections: at most one for each, with 16 bytes each.
///
/// Each kind of deadline has a fixed delay, so each kind is a list in the order of setting, and only its first entry can be due. Setting,
/// clearing and finding a deadline takes a few writes, whatever the number of connections.
struct Deadlines {
    enum Kind: Int, CaseIterable {
        case header, body, idle, write, linger
    }

    private struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
        /// In milliseconds, modulo 2^32.
        var due: UInt32 = 0
        var kind: Int8 = -1
    }

    private var links: [Link] = []
    private var first = [Int32](repeating: -1, count: Kind.allCases.count)
    private var last = [Int32](repeating: -1, count: Kind.allCases.count)
    private let delays: [UInt32]

    init(_ limits: ServerLimits) {
        let delays: [Duration] = [limits.headerRead, limits.bodyRead, limits.idle, limits.write, limits.linger]
        // At most half of the number space, so that the order stays right when the numbers overflow after 49 days.
        self.delays = delays.map { UInt32(clamping: max(1, min($0.microseconds / 1000, 1 << 30))) }
    }

    /// How often to look for passed deadlines, so that one is found late by a quarter at most.
    var interval: Duration { .milliseconds(Int64(min(1000, max(5, (delays.min() ?? 1000) / 4)))) }

    /// Whether a deadline of that kind is set for the slot.
    func has(_ kind: Kind, _ slot: Int32) -> Bool { links.indices.contains(Int(slot)) && links[Int(slot)].kind == Int8(kind.rawValue) }

    /// Sets the slot's one deadline, in place of an earlier one.
    mutating func set(_ kind: Kind, _ slot: Int32, now: MonotonicTime) {
        while links.count <= Int(slot) { links.append(Link()) }
        clear(slot)
        let tail = last[kind.rawValue]
        let due = Self.milliseconds(now) &+ delays[kind.rawValue]
        links[Int(slot)] = Link(previous: tail, next: -1, due: due, kind: Int8(kind.rawValue))
        if tail >= 0 { links[Int(tail)].next = slot } else { first[kind.rawValue] = slot }
        last[kind.rawValue] = slot
    }

    mutating func clear(_ slot: Int32) {
        guard links.indices.contains(Int(slot)), links[Int(slot)].kind >= 0 else { return }
        let link = links[Int(slot)]
        let kind = Int(link.kind)
        if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { first[kind] = link.next }
        if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { last[kind] = link.previous }
        links[Int(slot)].kind = -1
    }

    /// Clears and returns one deadline that has passed; `nil` when none has.
    mutating func expired(_ now: MonotonicTime) -> (slot: Int32, kind: Kind)? {
        for kind in Kind.allCases {
            let slot = first[kind.rawValue]
            guard slot >= 0, Int32(bitPattern: Self.milliseconds(now) &- links[Int(slot)].due) >= 0 else { continue }
            clear(slot)
            return (slot, kind)
        }
        return nil
    }

    private static func milliseconds(_ time: MonotonicTime) -> UInt32 { UInt32(truncatingIfNeeded: time.nanoseconds / 1_000_000) }
}
