/// A project's colour, `#rrggbb`.
enum Accent {
    /// Black or white, whichever reads better on the colour. <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
    static func text(on accent: String) -> String {
        let channels = [1, 3, 5].map { start -> Double in
            let digits = accent.dropFirst(start).prefix(2)
            let share = Double(Int(digits, radix: 16) ?? 0) / 255
            // The square is close enough to the standard's curve to choose between two colours.
            return share * share
        }
        let luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000"
    }
}
