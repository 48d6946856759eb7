/// Stores elements under small numbers that are reused. A call that waits for an answer is stored here, and can be taken out only once.
struct Slab<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    var count: Int { elements.count - free.count }

    mutating func insert(_ element: Element) -> Int {
        guard let key = free.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[key] = element
        return key
    }

    /// `nil` when it was removed before.
    mutating func remove(_ key: Int) -> Element? {
        guard elements.indices.contains(key), let element = elements[key] else { return nil }
        elements[key] = nil
        free.append(key)
        return element
    }

    /// Returns all elements, in no particular order, and leaves the slab empty.
    mutating func removeAll() -> [Element] {
        let all = elements.compactMap { $0 }
        elements = []
        free = []
        return all
    }
}
