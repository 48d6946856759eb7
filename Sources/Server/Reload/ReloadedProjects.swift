import Config
import ProjectSettings
import Projects

/// The projects that a reload puts into use: those of the files that can be taken, and for every other file the project that it had before.
/// So a fault in one project's file touches no other project.
struct ReloadedProjects {
    let projects: [Project]
    /// A sentence for each file that is not taken, with the reason behind it.
    let refusals: [String]

    /// `nil` when the files cannot be taken one by one: none is sound, or a project that stays as it was has something that a new one claims.
    ///
    /// - Parameters:
    ///   - conflicts: the reasons why sound files cannot be taken either, by the id of their project.
    ///   - former: the projects in use.
    init?(_ reading: ConfigurationReading, conflicts: [String: String] = [:], keeping former: [Project]) {
        var taken: [Project] = []
        var kept: [Project] = []
        var refusals: [String] = []
        for file in reading.files {
            let reason = file.isSound ? conflicts[file.project.settings.storageID] : file.faults.report()
            let before = former.first { $0.fileName == file.name }
            guard let reason else {
                taken.append(
                    file.project.having(
                        file.tenants.tenants(keeping: before?.tenants) { conflicts[$0.settings.storageID] != nil }))
                refusals +=
                    file.tenants.readings.compactMap { Self.refusal(of: $0, conflicts, before) } + Self.refusal(of: file.tenants.template)
                continue
            }
            if let before { kept.append(before) }
            let consequence = before.map { "the project \($0.settings.id) keeps its former configuration" } ?? "its project is not in use"
            refusals.append("\(file.path) is not taken, and \(consequence):\n\(reason)")
        }
        let things = Set(kept.flatMap { $0.settings.claims.map(\.thing) })
        let meet = taken.contains { $0.settings.claims.contains { things.contains($0.thing) } }
        guard !taken.isEmpty, !meet else { return nil }
        projects = taken + kept
        self.refusals = refusals
    }

    /// The sentence about a template that is not taken.
    private static func refusal(of template: TenantReading?) -> [String] {
        guard let template, !template.isSound else { return [] }
        return ["\(template.path) is not taken, and calls go on making tenants of the former template:\n\(template.faults.report())"]
    }

    /// The sentence about a tenant's file that is not taken; `nil` for one that is.
    private static func refusal(of reading: TenantReading, _ conflicts: [String: String], _ project: Project?) -> String? {
        let settings = reading.tenant.settings
        guard let reason = reading.isSound ? conflicts[settings.storageID] : reading.faults.report() else { return nil }
        let isKept = project?.tenants?.all.contains { $0.settings.storageID == settings.storageID } ?? false
        let consequence = isKept ? "the tenant keeps its former configuration" : "its tenant is not in use"
        return "\(reading.path) is not taken, and \(consequence):\n\(reason)"
    }
}
