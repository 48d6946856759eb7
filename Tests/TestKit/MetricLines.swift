package import Runtime

extension Metrics {
    /// The lines of the metric `name`, which has labels, in the order of the alphabet.
    package func lines(of name: String) -> [String] {
        text().split(separator: "\n").filter { $0.hasPrefix(name + "{") }.map(String.init).sorted()
    }
}
