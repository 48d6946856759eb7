/// Links from one page of the repository to another: the page must be there, and have the heading that the link names.
enum Links {
    /// - Parameter files: the whole repository. Only its pages (`.md`) are read; a link may lead to any file or folder of it.
    static func check(_ files: [File]) -> [Violation] {
        let pages = files.filter { $0.path.hasSuffix(".md") }
        let anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, headings(of: $0)) })
        let paths = Set(files.flatMap { ancestors(of: $0.path) })
        return pages.flatMap { page in
            prose(of: page).flatMap { number, line in
                targets(in: line).compactMap { target in
                    fault(of: target, on: page.path, paths: paths, anchors: anchors).map {
                        Violation(path: page.path, line: number, message: "links to \(target), \($0)")
                    }
                }
            }
        }
    }

    private static func fault(of target: Substring, on page: String, paths: Set<String>, anchors: [String: Set<String>]) -> String? {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? page : resolved(parts[0], from: File.folder(of: page))
        guard paths.contains(path) else { return "which is not there" }
        guard parts.count > 1, let known = anchors[path] else { return nil }
        return known.contains(String(parts[1])) ? nil : "whose page has no such heading"
    }

    /// The lines outside of code, with their numbers.
    private static func prose(of page: File) -> [(Int, Substring)] {
        var isCode = false
        return page.lines.enumerated().compactMap { index, line in
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            return isCode || isFence ? nil : (index + 1, line)
        }
    }

    /// The addresses in `[text](address)` that lead to a place in the repository.
    private static func targets(in line: Substring) -> [Substring] {
        var found: [Substring] = []
        var rest = line
        while let start = rest.firstRange(of: "](") {
            rest = rest[start.upperBound...]
            let target = rest.prefix { $0 != ")" }
            if !target.contains(":"), !target.isEmpty { found.append(target) }
        }
        return found
    }

    /// The anchors that GitHub and other readers give to the headings of a page.
    private static func headings(of page: File) -> Set<String> {
        Set(
            prose(of: page).filter { $0.1.hasPrefix("#") }.map { _, line in
                let title = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                return String(title.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil })
            })
    }

    /// `docs`, `docs/a` and `docs/a/b.md` for `docs/a/b.md`.
    private static func ancestors(of path: String) -> [String] {
        let parts = path.split(separator: "/")
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }

    private static func resolved(_ path: Substring, from folder: String) -> String {
        var parts = folder.split(separator: "/")
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
