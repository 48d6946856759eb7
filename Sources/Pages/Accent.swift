/// A project's colour, `#rrggbb`.
enum Accent {
    /// Black or white, whichever reads better on the colour. <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
    static func text(on accent: String) -> String {
        let channels = [1, 3, 5].map { start -> Double in
            let digits = accent.dropFirst(start).prefix(2)
            let share = Double(Int(digits, radix: 16) ?? 0) / 255
            // A polynomial that follows the standard's curve to the third digit.
            return share * (share * (share * 0.305306011 + 0.682171111) + 0.012522878)
        }
        let luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000"
    }
}
