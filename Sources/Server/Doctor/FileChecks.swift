import FoundationEssentials
import Glibc

/// Examines whether other users of this machine could change what the server reads, or read what it writes, and whether it can write its log.
struct FileChecks {
    let settings: ServerSettings
    /// The file of the configuration.
    let path: String

    func findings() -> [Finding] {
        let folder = settings.projects
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let projects = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { "\(folder)/\($0)" }
        var findings =
            ([path, folder] + projects).compactMap(writableByOthers) + folders(above: [path, folder]).compactMap(replaceableByOthers)
        if case .file(let mails)? = settings.mail?.way, mode(mails) & 0o007 != 0 {
            findings.append(
                .warning("files.mails", "Every user of this machine can read the mails in \(mails), whose links work", "chmod 750 \(mails)")
            )
        }
        if let log = settings.logPath { findings += logFindings(log) }
        return findings
    }

    /// Another user who writes these files decides who is signed in.
    private func writableByOthers(_ file: String) -> Finding? {
        guard mode(file) & 0o002 != 0 else { return nil }
        return .fault("files.writable", "Every user of this machine can write \(file)", "chmod o-w \(file)")
    }

    /// A user who may write a folder can put another file or folder in the place of one in it, unless the sticky bit is set.
    private func replaceableByOthers(_ folder: String) -> Finding? {
        mode(folder) & 0o1000 == 0 ? writableByOthers(folder) : nil
    }

    /// All folders that these files are below, each once, the deepest first.
    private func folders(above files: [String]) -> [String] {
        var folders: [String] = []
        for file in files {
            var rest = (file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file)[...]
            while let slash = rest.lastIndex(of: "/") {
                rest = rest[..<slash]
                let folder = rest.isEmpty ? "/" : String(rest)
                if !folders.contains(folder) { folders.append(folder) }
            }
        }
        return folders
    }

    /// Less free space than this, in bytes, is used up by the log of a busy day.
    private static let leastFree: UInt = 256 << 20

    private func logFindings(_ file: String) -> [Finding] {
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        guard access(mode(file) == 0 ? folder : file, W_OK) == 0 else {
            return [.fault("files.log", "The log \(file) cannot be written", "give its folder to the server's user")]
        }
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return [] }
        let free = system.f_bavail * system.f_frsize
        guard free < Self.leastFree else { return [] }
        return [.warning("files.space", "The disk of the log has \(free >> 20) MiB left", "free some space there")]
    }

    /// 0 for a file that is not there.
    private func mode(_ file: String) -> mode_t {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}
