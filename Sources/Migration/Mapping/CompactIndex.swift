import Text

/// Data of accounts that a source has in another place than the accounts, by a key: any number of values for one key. Beside their bytes, a
/// value and its key take about 50 bytes of memory.
struct CompactIndex {
    private struct Entry {
        /// The position behind the key and the value.
        let end: Int
        let keyLength: Int32
        /// The entry before this one whose key has the same hash; negative for none.
        let earlier: Int32
        var isTaken = false
    }

    private var latest: [Int: Int32] = [:]
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []

    /// Adds texts for a key. Of an empty text and none, only none remains.
    mutating func add(_ texts: [String?], for key: UTF8Text) {
        let hash = key.hashValue
        bytes.append(contentsOf: key.utf8)
        for (at, text) in texts.enumerated() {
            if at > 0 { bytes.append(0) }
            if let text { bytes.append(contentsOf: text.utf8.lazy.filter { $0 != 0 }) }
        }
        entries.append(Entry(end: bytes.count, keyLength: Int32(key.utf8.count), earlier: latest[hash] ?? -1))
        latest[hash] = Int32(entries.count - 1)
    }

    /// The lists of texts of a key in the order in which they were added. They count as taken then.
    mutating func take(_ key: UTF8Text) -> [[String?]] {
        var found: [[String?]] = []
        var position = latest[key.hashValue] ?? -1
        while position >= 0 {
            let at = Int(position)
            let start = at > 0 ? entries[at - 1].end : 0
            let value = start + Int(entries[at].keyLength)
            if bytes[start..<value].elementsEqual(key.utf8) {
                entries[at].isTaken = true
                found.append(
                    bytes[value..<entries[at].end].split(separator: 0, omittingEmptySubsequences: false).map {
                        $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self)
                    })
            }
            position = entries[at].earlier
        }
        return found.reversed()
    }

    /// How many lists were never taken.
    var untaken: Int { entries.count { !$0.isTaken } }
}
