/// One thing that an operator should know about an installation, and what to do about it.
package struct Finding: Sendable, Equatable {
    package enum Grade: String, Sendable, CaseIterable {
        /// It works, and is probably not what the operator wants.
        case warning
        /// Something does not work, or is not safe.
        case fault
    }

    package let grade: Grade
    /// The name for machines, which never changes: `database.clock`.
    package let code: String
    package let text: String
    /// The way to mend it, as a clause without a full stop.
    package let remedy: String

    package static func warning(_ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(grade: .warning, code: code, text: text, remedy: remedy)
    }

    package static func fault(_ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(grade: .fault, code: code, text: text, remedy: remedy)
    }

    package var sentence: String { "\(text); \(remedy)." }
}
