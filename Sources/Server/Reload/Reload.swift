import HTTP
import Web

/// `POST /reload` on the operations listener: does what SIGHUP does, with an answer. Every client of that listener may ask for it, since
/// it only makes the process read its own files.
package enum Reload {
    package static let path = "/reload"

    static func handler(_ reload: @escaping @Sendable () async -> ReloadOutcome) -> Handler {
        Handler(
            route: Route(.post, path, access: .anyone), errorFormat: .googleJSON, named: Handler.name(of: Self.self),
            content: {
                CallContent(answers: [
                    .content("text/plain"), .content("text/plain", status: 422, "Not all files are in use; the text says why."),
                ])
            }
        ) { _, _ in
            switch await reload() {
            case .taken: .text("reloaded\n")
            case .takenInPart(let reason): .text("reloaded in part: \(reason)\n", status: 422)
            case .refused(let reason): .text("not reloaded: \(reason)\n", status: 422)
            }
        }
    }
}
