package import HTTP
import Text

/// Finds the endpoint for a request by its canonical path, among all the paths of each route.
package struct Router: Sendable {
    private var exact: [String: [Handler]] = [:]
    /// The calls of administrators that share a path with a client call.
    private var bearing: [String: [Handler]] = [:]
    private var patterns: [PathPattern] = []

    package enum Match: Sendable {
        case found(Handler, PathParameters)
        /// The path exists, but answers only these other methods.
        case otherMethods([HTTP.Method], ErrorFormat)
        case none
    }

    package init(_ handlers: [Handler]) {
        for handler in handlers {
            for path in handler.route.bearerPaths { bearing[path, default: []].append(handler) }
            for path in handler.route.paths {
                if path.contains("{") {
                    add(handler, pattern: path)
                } else {
                    exact[path, default: []].append(handler)
                }
            }
        }
    }

    /// - Parameter hasBearer: whether the request has a bearer token.
    package func match(_ method: HTTP.Method, _ path: String, hasBearer: Bool = false) -> Match {
        let wanted = method == .head ? .get : method
        if hasBearer, let handler = bearing[path]?.first(where: { $0.route.method == wanted }) { return .found(handler, PathParameters()) }
        if let handlers = exact[path] { return choose(wanted, handlers, PathParameters()) }
        for pattern in patterns {
            if let parameters = pattern.match(path) { return choose(wanted, pattern.handlers, parameters) }
        }
        return .none
    }

    private func choose(_ method: HTTP.Method, _ handlers: [Handler], _ parameters: PathParameters) -> Match {
        if let handler = handlers.first(where: { $0.route.method == method }) { return .found(handler, parameters) }
        return .otherMethods(handlers.map(\.route.method), handlers.first?.errorFormat ?? .googleJSON)
    }

    private mutating func add(_ handler: Handler, pattern: String) {
        if let index = patterns.firstIndex(where: { $0.text == pattern }) {
            patterns[index].handlers.append(handler)
        } else {
            patterns.append(PathPattern(pattern, [handler]))
        }
    }
}
