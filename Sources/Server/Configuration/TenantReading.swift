import Config
import FoundationEssentials
import ProjectSettings
import Projects
import Synchronization

/// One tenant's file, as it stands.
struct TenantReading {
    let path: String
    /// Made of defaults where the file has faults.
    let tenant: Project
    let faults: Faults

    var isSound: Bool { faults.isEmpty }
}

/// The files of the tenants of one project, in the folder beside its own file: `acme/tenants/*.yaml` beside `acme.yaml`.
struct TenantFolder {
    let readings: [TenantReading]
    /// The tenant from which those are made that calls create, with the faults of its file; `nil` where calls make none.
    let template: TenantReading?
    /// Whether the project has tenants at all.
    let isThere: Bool

    static var none: TenantFolder { TenantFolder(readings: [], template: nil, isThere: false) }

    /// All files, those with faults as well.
    var all: [TenantReading] { readings + [template].compactMap(\.self) }

    /// Those that can be used, and in the place of the others their former states.
    func tenants(keeping former: Tenants? = nil, unless refused: (Project) -> Bool = { _ in false }) -> Tenants? {
        guard isThere else { return nil }
        let sound = readings.filter { $0.isSound && !refused($0.tenant) }.map(\.tenant)
        let kept = readings.filter { !$0.isSound || refused($0.tenant) }.compactMap { reading in
            former?.all.first { $0.settings.storageID == reading.tenant.settings.storageID }
        }
        return Tenants(sound + kept, template: template.map { $0.isSound ? $0.tenant : former?.template ?? $0.tenant })
    }

    private init(readings: [TenantReading], template: TenantReading?, isThere: Bool) {
        (self.readings, self.template, self.isThere) = (readings, template, isThere)
    }

    /// - Parameters:
    ///   - section: the project's own, without faults.
    ///   - makesTenants: whether calls may make tenants.
    ///   - cache: what was read before; files that have not changed are not read again.
    init(
        of project: Project, _ section: Section, makesTenants: Bool, server: ServerSettings, environment: [String: String],
        cache: TenantCache
    ) {
        let folder = Self.stem(of: section.file) ?? section.file
        func reading(_ id: String, _ path: String) -> TenantReading {
            cache.reading(of: path, of: section, server: server.fingerprint) { faults in
                let own = ConfigFile.read(path, environment: environment, faults: faults)
                let tenant = TenantFile.read(id, own, of: project, development: server.development, publicURL: server.publicURL)
                return (tenant, own.files)
            }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/tenants"))?.filter { !$0.hasPrefix(".") }.sorted()
        readings = (names ?? []).compactMap { name in
            let path = "\(folder)/tenants/\(name)"
            guard let id = Self.stem(of: name) else {
                section.faults.note(Self.fault(path, "is ignored: files of tenants end in .yaml or .yml"))
                return nil
            }
            if !ProjectSettings.Tenant.isID(id) {
                section.faults.add(Self.fault(path, "is not named after a tenant: its id has \(ProjectSettings.Tenant.form)"))
                return nil
            }
            if name.hasSuffix(".yml"), names?.contains("\(id).yaml") == true {
                section.faults.add(Self.fault(path, "is a second file of the tenant \(id); remove one of them"))
                return nil
            }
            return reading(id, path)
        }
        isThere = names != nil || makesTenants
        let path = "\(folder)/\(TenantFile.template)"
        let hasTemplate = FileManager.default.fileExists(atPath: path)
        if hasTemplate, !makesTenants {
            section.faults.note(Self.fault(path, "has no effect without dynamicTenants: true in \(section.file)"))
        }
        guard makesTenants else {
            template = nil
            return
        }
        template =
            hasTemplate
            ? Self.withoutDirectory(reading("template", path))
            : TenantReading(path: path, tenant: Project(templateOfTenantsOf: project), faults: Faults())
    }

    /// Notes a directory in a template: each belongs to one realm alone.
    private static func withoutDirectory(_ template: TenantReading) -> TenantReading {
        let provider = template.tenant.settings.openIDProvider
        if provider?.directoryID != nil || provider?.directoryNames.isEmpty == false {
            template.faults.add(
                Fault(
                    file: template.path, line: 0, column: 0, path: "openIDProvider.tenant",
                    message: "must not be in a template, since all tenants that are made of it would have it; remove it"))
        }
        return template
    }

    private static func stem(of name: String) -> String? {
        [".yaml", ".yml"].first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
    }

    private static func fault(_ file: String, _ message: String) -> Fault {
        Fault(file: file, line: 0, column: 0, path: "", message: message)
    }
}

/// The files of tenants that were read and have not changed since then, so that a reload reads what changed.
package final class TenantCache: Sendable {
    private let entries = Mutex<[String: Entry]>([:])

    private struct Entry: Sendable {
        let tenant: Project
        let notes: [Fault]
        /// The fingerprint of the server's settings, on which a tenant depends, too.
        let server: [UInt8]
        /// The files of the tenant and of its project, as they were read.
        let files: [String: FileStamp]
        let ofProject: [String: FileStamp]
    }

    package init() {}

    fileprivate func reading(
        of path: String, of project: Section, server: [UInt8], _ read: (Faults) -> (tenant: Project, files: [String: FileStamp]?)
    ) -> TenantReading {
        let ofProject = project.files
        if let entry = entries.withLock({ $0[path] }), entry.server == server, entry.ofProject == ofProject,
            entry.files.allSatisfy({ FileStamp($0) == $1 })
        {
            return TenantReading(path: path, tenant: entry.tenant, faults: Faults(notes: entry.notes))
        }
        let faults = Faults()
        let (tenant, files) = read(faults)
        entries.withLock {
            $0[path] =
                if let files, let ofProject, faults.isEmpty {
                    Entry(tenant: tenant, notes: faults.notes, server: server, files: files, ofProject: ofProject)
                } else { nil }
        }
        return TenantReading(path: path, tenant: tenant, faults: faults)
    }
}
