package import HTTP

/// Finds the endpoint for a request by its canonical path, among all the paths of each route.
package struct Router: Sendable {
    private var exact: [String: [Handler]] = [:]
    /// The calls of administrators that share a path with a client call.
    private var bearing: [String: [Handler]] = [:]
    private var tree = PathTree()

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
                    tree.add(handler, at: path)
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
        return tree.find(path).map { choose(wanted, $0.handlers, $0.parameters) } ?? .none
    }

    private func choose(_ method: HTTP.Method, _ handlers: [Handler], _ parameters: PathParameters) -> Match {
        if let handler = handlers.first(where: { $0.route.method == method }) { return .found(handler, parameters) }
        return .otherMethods(handlers.map(\.route.method), handlers.first?.errorFormat ?? .googleJSON)
    }
}
