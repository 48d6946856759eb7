/// One mistake in a configuration file, described so that an operator can correct it without reading code.
package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// Counted from 1; 0 when the fault concerns the whole file.
    package let line: Int
    package let column: Int
    /// Keys from the top of the file, joined by dots: `providers.microsoft.com.clientSecret`.
    package let path: String
    /// The mistake, and what to do.
    package let message: String

    package init(file: String, line: Int, column: Int, path: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
    }

    package var description: String { "\(place)  \(text)" }

    fileprivate var place: String { line > 0 ? "\(file):\(line):\(column)" : file }
    fileprivate var text: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// All faults of one reading, in the order of files and lines, and also notes: things that are allowed and still look wrong.
package final class Faults {
    private var found: [Fault] = []
    private var noted: [Fault] = []

    package init() {}

    /// Notes of a reading without faults.
    package init(notes: [Fault]) { noted = notes }

    /// Those of several readings together.
    package init(_ parts: [Faults]) {
        found = parts.flatMap(\.found)
        noted = parts.flatMap(\.noted)
    }

    package func add(_ fault: Fault) { found.append(fault) }

    /// Adds something that the operator should know, but that does not prevent the start.
    package func note(_ fault: Fault) { noted.append(fault) }

    package var all: [Fault] { Self.sorted(found) }
    package var notes: [Fault] { Self.sorted(noted) }
    package var isEmpty: Bool { found.isEmpty }

    private static func sorted(_ faults: [Fault]) -> [Fault] {
        faults.enumerated().sorted { left, right in
            (left.element.file, left.element.line, left.element.column, left.offset)
                < (right.element.file, right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }

    /// One line for each fault, with the messages in one column, and a last line with their number.
    package func report() -> String {
        let faults = all
        let width = faults.map(\.place.count).max() ?? 0
        let lines = faults.map { $0.place + String(repeating: " ", count: width - $0.place.count) + "  " + $0.text }
        return (lines + ["\(faults.count) \(faults.count == 1 ? "fault" : "faults")."]).joined(separator: "\n")
    }
}
