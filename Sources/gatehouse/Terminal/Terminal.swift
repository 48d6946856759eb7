import Glibc
import Identity

/// The terminal that a command writes to, if it writes to one.
enum Terminal {
    /// The number of columns of the terminal that standard output is; `nil` where it is a file or a pipe.
    static var width: Int? { width(of: STDOUT_FILENO) }

    static func width(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes bytes to standard output at once, so that a long list takes no memory here. Ends the process when the reader has gone.
    ///
    /// Characters that would do something to a terminal become escapes of JSON, the only texts that may have them: tables and lines have lost
    /// them before.
    static func write(_ text: String) {
        var bytes = Array(inert(text).utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { ProcessEnd.now(EXIT_FAILURE) }
            bytes = bytes.dropFirst(count)
        }
    }

    private static func inert(_ text: String) -> String {
        // The first bytes of all such characters; most lists have none of them.
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A || [0x7F, 0xC2, 0xE2].contains($0) }) else { return text }
        var inert = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || ProfileText.isFit(String(scalar), most: 1) {
                inert.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                inert += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return inert
    }
}

extension String {
    /// The number of columns that a terminal gives the text.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text without characters that would do something to a terminal, and not wider than `width` columns.
    func shortened(to width: Int) -> String {
        guard columns > width else { return self }
        var (kept, used) = ("", 0)
        for character in self {
            used += character.columns
            guard used < width else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Character {
    /// Two for the wide characters of East Asian writing and for pictures, one for all others.
    /// <https://www.unicode.org/reports/tr11/>
    fileprivate var columns: Int {
        guard let value = unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
