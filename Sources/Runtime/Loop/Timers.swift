/// The timers of one loop: a binary heap by deadline. Cancelled timers stay in it for a while.
struct Timers {
    private struct Entry {
        let deadline: MonotonicTime
        let id: UInt64
        let action: () -> Void
    }

    private var heap: [Entry] = []
    private var live: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var armed: MonotonicTime?

    mutating func add(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> Timer {
        lastID += 1
        live.insert(lastID)
        heap.append(Entry(deadline: deadline, id: lastID, action: action))
        siftUp(heap.count - 1)
        return Timer(id: lastID)
    }

    mutating func cancel(_ timer: Timer) {
        live.remove(timer.id)
        // Cancelled entries leave the heap when they are due, or all together once they are more than half of it.
        guard heap.count > 64, live.count * 2 < heap.count else { return }
        let kept = heap.filter { live.contains($0.id) }
        heap.removeAll(keepingCapacity: true)
        for entry in kept {
            heap.append(entry)
            siftUp(heap.count - 1)
        }
    }

    /// Takes out the action that is due first; `nil` when none is due. It runs before the next is taken, since it may cancel that;
    /// and the descriptor is not set anew before `nil`, whatever the actions schedule.
    mutating func takeDue(at now: MonotonicTime) -> (() -> Void)? {
        while let first = heap.first, first.deadline <= now {
            removeFirst()
            if live.remove(first.id) != nil { return first.action }
        }
        armed = nil
        return nil
    }

    /// The deadline to set the loop's one timer descriptor to; `nil` when it is already set early enough.
    mutating func needsArming() -> MonotonicTime? {
        guard let first = heap.first else { return nil }
        if let armed, armed <= first.deadline { return nil }
        armed = first.deadline
        return first.deadline
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[smallest].deadline { smallest = child }
            }
            if smallest == parent { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }
}

/// Identifies an action that a loop will run later; see `Loop.schedule`.
package struct Timer: Sendable, Hashable {
    let id: UInt64
}
