import Pages
import ProjectSettings
import Text

/// Projects that test suites name and no file has, in development mode: each is the development project under another id, with accounts of
/// its own. The process forgets them when it ends or reads its files again, and makes them again when they are named again.
extension Project {
    /// The beginning of such a project's API key; the id follows. Other unknown keys lead to the development project.
    static let keyOnTheFly: UTF8Text = "project:"
    /// More of them at once are a mistake of a test suite, which would fill the memory.
    package static let mostOnTheFly = 1000

    /// A project with the settings of `project`. It is not an OpenID provider, since the addresses of its clients belong to the other one,
    /// and has no entries of providers, so that all of them are made up. It has no data at Firebase, where its people would be those of the
    /// other one.
    convenience init(named id: String, like project: Project) {
        var settings = project.settings
        settings.id = id
        settings.storageID = id
        settings.number = Self.number(of: id)
        settings.apiKeys = ["\(Self.keyOnTheFly)\(id)"]
        settings.openIDProvider = nil
        settings.firestore = nil
        self.init(
            settings: settings, providers: [], publicURL: project.serverURL, templates: project.templates, isMadeOnTheFly: true)
    }

    /// A number of twelve digits that is always the same for an id: FNV-1a.
    /// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
    private static func number(of id: String) -> Int64 {
        let hash = id.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int64(100_000_000_000 + hash % 900_000_000_000)
    }
}
