/// One thing wrong with a configuration file, told so that an operator can mend it without reading code.
package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// From 1; 0 when the fault is the whole file's.
    package let line: Int
    package let column: Int
    /// Keys from the top of the file, joined by dots: `providers.microsoft.com.clientSecret`.
    package let path: String
    /// What is wrong, and what to do.
    package let message: String

    package init(file: String, line: Int, column: Int, path: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
    }

    package var description: String {
        let place = line > 0 ? "\(file):\(line):\(column)" : file
        return path.isEmpty ? "\(place)  \(message)" : "\(place)  \(path): \(message)"
    }
}

/// All faults of one reading, in the order of the files and lines.
package final class Faults {
    private var found: [Fault] = []

    package init() {}

    package func add(_ fault: Fault) { found.append(fault) }

    package var all: [Fault] {
        found.enumerated().sorted { left, right in
            (left.element.file, left.element.line, left.element.column, left.offset)
                < (right.element.file, right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }

    package var isEmpty: Bool { found.isEmpty }
}
