package import HTTP

/// Finds the handler of a request. One canonical path decides, however the call was reached: by raw path, or behind the name of the
/// Google host that an SDK in emulator mode puts in front.
package struct Router: Sendable {
    private static let hostPrefixes = ["/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/", "/www.googleapis.com/"].map {
        Array($0.utf8)
    }

    private var exact: [String: [Handler]] = [:]
    private var patterns: [PathPattern] = []

    package enum Match: Sendable {
        case found(Handler, PathParameters)
        /// The path answers other methods: these.
        case otherMethods([HTTP.Method], Tongue)
        case none
    }

    package init(_ handlers: [Handler]) {
        for handler in handlers {
            for path in [handler.route.path] + handler.route.aliases {
                if path.contains("{") {
                    add(handler, pattern: path)
                } else {
                    exact[path, default: []].append(handler)
                }
            }
        }
    }

    package func match(_ method: HTTP.Method, _ path: String) -> Match {
        let wanted = method == .head ? .get : method
        let path = Self.withoutHost(path)
        if let handlers = exact[path] { return choose(wanted, handlers, PathParameters()) }
        for pattern in patterns {
            if let parameters = pattern.match(path) { return choose(wanted, pattern.handlers, parameters) }
        }
        return .none
    }

    private static func withoutHost(_ path: String) -> String {
        var path = path
        // Compared as bytes: most paths differ from every prefix in the second.
        let prefix = path.withUTF8 { bytes in hostPrefixes.first { bytes.starts(with: $0) } }
        guard let prefix else { return path }
        return String(path.utf8.dropFirst(prefix.count - 1)) ?? path
    }

    private func choose(_ method: HTTP.Method, _ handlers: [Handler], _ parameters: PathParameters) -> Match {
        if let handler = handlers.first(where: { $0.route.method == method }) { return .found(handler, parameters) }
        return .otherMethods(handlers.map(\.route.method), handlers.first?.tongue ?? .googleJSON)
    }

    private mutating func add(_ handler: Handler, pattern: String) {
        if let index = patterns.firstIndex(where: { $0.text == pattern }) {
            patterns[index].handlers.append(handler)
        } else {
            patterns.append(PathPattern(pattern, [handler]))
        }
    }
}
