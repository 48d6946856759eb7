import Pages
import Runtime

/// A plot of numbers over a day as the values of its SVG: one bar for each piece of time, with its number as a title.
struct SignInPlot {
    /// The word for what is plotted.
    let name: String
    let counts: [Int]
    let day: SignInDay

    /// The height of the highest bar, in units of the drawing.
    private static let height = 100
    /// The width of a piece, with the gap behind its bar.
    private static let width = 10

    var values: [String: TemplateValue] {
        let most = counts.max() ?? 0
        let bars = counts.enumerated().compactMap { piece, count -> [String: TemplateValue]? in
            guard count > 0 else { return nil }
            // A bar of one sign-in among thousands can still be seen.
            let height = max(1, count * Self.height / most)
            return [
                "x": .text("\(piece * Self.width)"), "y": .text("\(Self.height - height)"), "height": .text("\(height)"),
                "bar": .text("\(Timestamp.minute(day.start + SignInDay.step * piece)): \(count)"),
            ]
        }
        return [
            "plot": .word(name), "plotName": .text(name), "total": .text("\(counts.reduce(0, +))"), "most": .text("\(most)"),
            "bars": .list(bars), "from": .text(Timestamp.minute(day.start)),
            "to": .text(Timestamp.minute(day.start + SignInDay.step * counts.count)),
        ]
    }
}
