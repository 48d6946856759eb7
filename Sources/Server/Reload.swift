import HTTP
import Web

/// `POST /reload` on the operations listener: does what SIGHUP does, with an answer. Every client of that listener may ask for it, since
/// it only makes the process read its own files.
package enum Reload {
    package static let path = "/reload"

    /// - Parameter reload: returns the reason why the former configuration stays, or `nil` when the files are in use.
    static func handler(_ reload: @escaping @Sendable () async -> String?) -> Handler {
        Handler(
            route: Route(.post, path, access: .anyone), errorFormat: .googleJSON, named: Handler.name(of: Self.self),
            content: {
                CallContent(answers: [
                    .content("text/plain"), .content("text/plain", status: 422, "The former configuration stays; the text says why."),
                ])
            }
        ) { _, _ in
            if let reason = await reload() { .text("not reloaded: \(reason)\n", status: 422) } else { .text("reloaded\n") }
        }
    }
}
