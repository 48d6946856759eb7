import HTTP
import Logging
import ProjectSettings
import Projects
import Text
import Web

extension Context {
    /// The failure that an app is told of when a start failed once the app was known, the same for both ways to start; it is logged. Throws
    /// `error` when it is a fault inside this server, which only the log describes.
    func failure(ofStart error: any Error, at providerID: UTF8Text, of project: Project) throws -> Failure {
        let failure = Failure(describing: error)
        guard failure.kind != .internal else { throw error }
        log.notice(
            "sign-in not started",
            metadata: ["project": "\(project.settings.id)", "provider": "\(providerID)", "reason": "\(LogDetail.of(error))"])
        return failure
    }
}
