import Config
import FoundationEssentials
import ProjectSettings
package import Projects

/// The configuration in use, which has no fault.
package struct Configuration {
    package let server: ServerSettings
    package let projects: [Project]
    /// The files of tenants as they were read, for reloads.
    package let tenantCache: TenantCache
    /// Things that are allowed and still look wrong, as sentences.
    package let notes: [String]
    /// Where it was read from.
    let files: ConfigurationFiles

    /// The faults of a configuration, as text for the operator.
    package struct Faulty: Error, CustomStringConvertible {
        /// A line for each fault, and a last one with their number.
        package let report: String
        /// One text for each fault, with its place.
        package let faults: [String]

        init(_ faults: Faults) {
            report = faults.report()
            self.faults = faults.all.map(\.description)
        }

        package var description: String { "the configuration has faults:\n\(report) Nothing was done." }
    }

    /// The server's file and all project files. If one of them has a fault, this throws all faults of all files.
    ///
    /// - Parameter environment: the process's, which the files may name secrets of.
    package static func load(from path: String, environment: [String: String]) throws -> Configuration {
        let cache = TenantCache()
        let reading = try ConfigurationReading(from: path, environment: environment, reusing: cache)
        let faults = Faults([reading.faults] + reading.files.map(\.allFaults))
        guard faults.isEmpty else { throw Faulty(faults) }
        let projects = reading.files.map { $0.project.having($0.tenants.tenants()) }
        return Configuration(
            server: reading.server, projects: projects, tenantCache: cache, notes: faults.notes.map(\.description),
            files: ConfigurationFiles(path: path, environment: environment, server: reading.server))
    }

    /// Only the server's file, for commands that touch no project.
    package static func server(from path: String, environment: [String: String]) throws -> ServerSettings {
        let faults = Faults()
        let server = ServerSettings(ConfigFile.read(path, environment: environment, faults: faults))
        guard faults.isEmpty else { throw Faulty(faults) }
        return server
    }
}
