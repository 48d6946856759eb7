import Accounts
import ArgumentParser
import Glibc
import Migration
import Runtime

extension ExportCommand {
    struct Firebase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "firebase", abstract: "Write files that firebase auth:import and the Admin SDKs read, and the lines to run.",
            discussion: """
                There is a file for each hash algorithm with its parameters. First the command says what Firebase cannot take. The files contain \
                password hashes: they are for their owner alone.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "A directory that is empty or not there.", completion: .directory)
        var directory: String

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: project, as: "export firebase") { access in
                try await tellLosses(access)
                let directory = try OutputDirectory(directory)
                do {
                    try await write(access, to: directory)
                } catch {
                    // A part of an export looks like a whole one.
                    directory.delete()
                    throw error
                }
            }
        }

        private func tellLosses(_ access: UsersCommand.Access) async throws {
            var export = FirebaseExport()
            let count = try await ExportCommand.read(access, sharesTerminal: false) { _ = export.add($0.account, $0.passwordHash) }
            CommandSupport.remark("\(count) accounts. Firebase cannot take:")
            let losses = export.losses.counts.sorted { $0.key < $1.key }
            for (loss, count) in losses { CommandSupport.remark(CommandSupport.visible("  \(count) × \(loss)")) }
            if losses.isEmpty { CommandSupport.remark("  nothing of them but sessions and times of revocation") }
        }

        private func write(_ access: UsersCommand.Access, to directory: OutputDirectory) async throws {
            var export = FirebaseExport()
            let count = try await ExportCommand.read(access, sharesTerminal: false) {
                let (file, record) = export.add($0.account, $0.passwordHash)
                let isFirst = export.counts[file] == 1
                try directory.write(Array((isFirst ? file.beginning : FirebaseExport.File.separator).utf8) + record, to: file.name)
            }
            for file in export.counts.keys { try directory.write(Array(FirebaseExport.File.end.utf8), to: file.name) }
            try directory.write(Array(export.script.utf8), to: FirebaseExport.scriptName)
            try directory.close()
            CommandSupport.remark(
                "\(count) \(count == 1 ? "account" : "accounts") in \(directory.path). To import them: FIREBASE_PROJECT=… sh \(directory.path)/\(FirebaseExport.scriptName)"
            )
        }
    }
}

/// A new directory for files of secrets.
private final class OutputDirectory {
    let path: String
    private let isNew: Bool
    private var files: [String: OutputFile] = [:]

    init(_ name: String) throws {
        let path = Self.withoutSlashes(name)
        self.path = path
        isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw Failed("\(path) cannot be made: \(SystemError("mkdir"))") }
        guard isNew || Self.isEmpty(path) else { throw Failed("\(path) is not an empty directory; name another one") }
    }

    /// The path without slashes at its end, which a shell adds when it completes the name of a directory.
    private static func withoutSlashes(_ name: String) -> String {
        let slash = UInt8(ascii: "/")
        guard let last = name.utf8.lastIndex(where: { $0 != slash }) else { return name }
        return String(name[...last])
    }

    private static func isEmpty(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return false }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Those of itself and of the directory above.
        return count == 2
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = try files[name] ?? OutputFile(new: "\(path)/\(name)")
        files[name] = file
        try file.write(bytes)
    }

    func close() throws { for file in files.values { try file.close() } }

    func delete() {
        for file in files.values { file.delete() }
        if isNew { rmdir(path) }
    }
}
