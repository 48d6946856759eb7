/// Guesses which key an operator meant.
enum Spelling {
    /// The known word within two edits of `word` (one for short words) that is nearest to it; `nil` when no word is near.
    static func nearest(to word: String, in known: Set<String>) -> String? {
        let limit = word.count < 5 ? 1 : 2
        return known.filter { abs($0.count - word.count) <= limit }
            .map { ($0, distance(word.lowercased(), $0.lowercased())) }.filter { $0.1 <= limit }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// The number of edits between the two: insertions, deletions, replacements, and swaps of neighbours.
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left), b = Array(right)
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
