/// Guesses which key an operator meant.
enum Spelling {
    /// The known word within two edits of `word` (one for short words), the nearest first; `nil` when there is none.
    static func nearest(to word: String, in known: Set<String>) -> String? {
        let limit = word.count < 5 ? 1 : 2
        return known.map { ($0, distance(word.lowercased(), $0.lowercased())) }.filter { $0.1 <= limit }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// Edits between the two: insertions, deletions, replacements, and swaps of neighbours.
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

extension Duration {
    /// `10s`, `5m`, `24h`, `7d`; `nil` for anything else.
    package init?(text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count >= 0, count <= 1_000_000 else { return nil }
        self = .seconds(count * unit)
    }

    /// The same back, in the largest unit that fits.
    package var text: String {
        let seconds = components.seconds
        for (unit, size) in [("d", Int64(86400)), ("h", 3600), ("m", 60)] where seconds > 0 && seconds.isMultiple(of: size) {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }
}
