/// Keys that a section must have. What is required is also a part of the shape, so that editors know it.
extension Section {
    /// Records a fault where `key` is absent.
    ///
    /// - Parameter remedy: what to write, or what the key is.
    package func require(_ key: String, _ remedy: String? = nil) {
        shape?.require(key)
        if !has(key) { fault(key, "is missing" + (remedy.map { "; \($0)" } ?? "")) }
    }

    /// Records a fault where the list of `key` is absent or has no entries.
    ///
    /// - Parameter consequence: what does not work without an entry, and what to do.
    package func requireEntry(_ key: String, _ consequence: String) {
        shape?.require(key)
        if isEmpty(key) { fault(key, "is empty, \(consequence)") }
    }
}
