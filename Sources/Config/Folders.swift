import FoundationEssentials

extension Section {
    /// A path in the file system, relative to the configuration file's folder. A change of the file or folder there does not count as a change of the
    /// configuration.
    package func path(_ key: String, default value: String) -> String { source.resolved(string(key) ?? value) }

    /// The folder that `key` names, relative to the configuration file's folder, with the names in it; `nil` where the key is absent or the folder
    /// cannot be read. A change of the folder or of a file in it counts as a change of the configuration.
    package func folder(_ key: String) -> (path: String, names: [String])? {
        guard let name = string(key) else { return nil }
        let folder = source.resolved(name)
        source.note(folder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            fault(key, "the folder \(folder) cannot be read")
            return nil
        }
        for name in names { source.note("\(folder)/\(name)") }
        return (folder, names)
    }
}
