package import HTTP

/// Finds the endpoint for a request by its canonical path, among all the paths of each route.
package struct Router: Sendable {
    private var exact: [String: Place] = [:]
    private var tree = PathTree()

    private struct Place {
        var handlers: [Handler] = []
        /// The calls of administrators that share the path with a client call.
        var bearing: [Handler] = []
    }

    package enum Match: Sendable {
        case found(Handler, PathParameters)
        /// The path exists, but answers only these other methods.
        case otherMethods([HTTP.Method], ErrorFormat)
        case none
    }

    package init(_ handlers: [Handler]) {
        for handler in handlers {
            for path in handler.route.bearerPaths { exact[path, default: Place()].bearing.append(handler) }
            for path in handler.route.paths {
                if path.utf8.contains(UInt8(ascii: "{")) {
                    tree.add(handler, at: path)
                } else {
                    exact[path, default: Place()].handlers.append(handler)
                }
            }
        }
    }

    /// - Parameter hasBearer: whether the request has a bearer token; asked for only where it matters.
    package func match(_ method: HTTP.Method, _ path: String, hasBearer: @autoclosure () -> Bool = false) -> Match {
        let wanted = method == .head ? .get : method
        if let place = exact[path] {
            let ofBearer = place.bearing.first { $0.route.method == wanted }
            if let ofBearer, hasBearer() { return .found(ofBearer, PathParameters()) }
            return choose(wanted, place.handlers, PathParameters())
        }
        return tree.find(path).map { choose(wanted, $0.handlers, $0.parameters) } ?? .none
    }

    private func choose(_ method: HTTP.Method, _ handlers: [Handler], _ parameters: PathParameters) -> Match {
        if let handler = handlers.first(where: { $0.route.method == method }) { return .found(handler, parameters) }
        return .otherMethods(handlers.map(\.route.method), handlers.first?.errorFormat ?? .googleJSON)
    }
}
