/// Rows in columns, for people. Rows may come some at a time; a column grows when it must, and never shrinks.
///
/// On a terminal no line is wider than the terminal: the widest columns are shortened, the first one, which names what the row is about, only when
/// nothing else is left to shorten. A file or a pipe gets every text whole.
struct Table {
    private let titles: [String]
    private let width: Int?
    private var widths: [Int]
    private var hasHeading = false

    private static let gap = "  "
    /// No column is made narrower than this.
    private static let narrowest = 4

    init(_ titles: String..., width: Int? = Terminal.width) {
        self.titles = titles
        self.width = width
        widths = titles.map(\.columns)
    }

    /// Prints the rows, below the titles of the columns the first time.
    mutating func print(_ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        Terminal.write(lines(rows).map { $0 + "\n" }.joined())
    }

    mutating func lines(_ rows: [[String]]) -> [String] {
        let rows = rows.map { row in row.map { $0.isEmpty ? "-" : CommandSupport.visible($0) } }
        for row in rows { for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.columns) } }
        let fitting = fitting()
        let heading = hasHeading ? [] : [titles]
        hasHeading = true
        return (heading + rows).map { line($0, fitting) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).enumerated().map { column, cell in
            let text = cell.0.shortened(to: cell.1)
            return column == cells.count - 1 ? text : text + String(repeating: " ", count: cell.1 - text.columns)
        }
        return padded.joined(separator: Self.gap)
    }

    /// The widths with which a line fits into the terminal.
    private func fitting() -> [Int] {
        guard let width else { return widths }
        var fitting = widths
        var excess = fitting.reduce(0, +) + Self.gap.count * (fitting.count - 1) - width
        for columns in [fitting.indices.dropFirst(), fitting.indices.prefix(1)] {
            while excess > 0, let widest = columns.max(by: { fitting[$0] < fitting[$1] }), fitting[widest] > Self.narrowest {
                fitting[widest] -= 1
                excess -= 1
            }
        }
        return fitting
    }
}
