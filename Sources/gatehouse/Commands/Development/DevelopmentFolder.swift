import Crypto
import FoundationEssentials
import Glibc
import Runtime

/// The files of a server for development: its configuration, its master key and its log, in one folder.
struct DevelopmentFolder {
    let path: String
    /// A folder in the system's folder for temporary files, to be removed at the end.
    let run: String
    let keepsData: Bool

    var configuration: String { path + "/gatehouse.yaml" }
    var postgres: String { path + "/postgres" }
    var log: String { path + "/server.log" }

    /// - Parameter path: the folder to keep; `nil` for one that is thrown away.
    init(_ path: String?, environment: [String: String]) throws {
        // PostgreSQL takes paths of sockets of 107 bytes at most, and they stand in a URL.
        let temporary = environment["TMPDIR"].flatMap { Self.isPlain($0) ? $0 : nil } ?? "/tmp"
        var template = Array("\(temporary)/gatehouse-dev-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failed("no folder can be made in \(temporary): \(SystemError("mkdtemp"))") }
        run = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        keepsData = path != nil
        self.path = path.map(Self.absolute) ?? run + "/data"
        do { try FileManager.default.createDirectory(atPath: self.path + "/projects", withIntermediateDirectories: true) } catch {
            try? FileManager.default.removeItem(atPath: run)
            throw Failed("the folder \(self.path) cannot be made: \(error)")
        }
        // Root's PostgreSQL runs as another user, who must get through these folders.
        if geteuid() == 0 { for folder in [run] + (keepsData ? [] : [self.path]) { chmod(folder, 0o711) } }
    }

    /// Writes the configuration of a server at `port`. The master key is made once for each folder.
    func write(_ options: Options, database url: String) throws {
        let key = path + "/master.key"
        if access(key, F_OK) != 0 { try Self.write(Base64.encode(Random.bytes(32)) + "\n", to: key) }
        try Self.write(url + "\n", to: path + "/database.url")
        try Self.write(
            """
            # Written by gatehouse dev at each start.
            listen: 127.0.0.1:\(options.port)
            publicURL: http://localhost:\(options.port)
            database: {file: database.url}
            masterKey: {file: master.key}
            projects: projects
            development: true
            developmentProject: \(options.project)
            outbound: {allow: [127.0.0.0/8, "::1/128"]}    # hooks and events of the app's own back end
            passwordHashing: {scrypt: {cost: 4, blockSize: 1}}    # no protection, and no waiting
            log: {path: server.log}

            """, to: configuration)
        try Self.write(
            """
            # Written by gatehouse dev at each start.
            project: \(options.project)
            number: 12345    # as at the Auth emulator
            apiKeys: [fake-api-key]    # any other key works, too
            authorizedDomains: [localhost, "*.localhost", 127.0.0.1, "[::1]"]
            tokens: {issuer: firebase, algorithm: \(options.signsTokens ? "RS256" : "none")}
            signIn: {password: true, emailLink: true, anonymous: true}
            mfa: {state: enabled, sms: true}
            emailEnumerationProtection: false    # as at the Auth emulator
            phone: {enabled: true, regions: ["*"], transport: {log: {}}}    # the codes stand in the log, and at /emulator/codes
            passkeys: {rpId: localhost, origins: [\(Self.origins)]}    # where development servers listen

            """, to: path + "/projects/project.yaml")
    }

    /// Apps at the usual ports of development servers.
    private static let origins = [3000, 3001, 4200, 5000, 5173, 8000, 8080].map { "http://localhost:\($0)" }.joined(separator: ", ")

    /// The options of the command.
    struct Options {
        let port: Int
        let project: String
        let signsTokens: Bool
    }

    func removeTemporary() { try? FileManager.default.removeItem(atPath: run) }

    /// Writes a file that only its owner can read.
    private static func write(_ text: String, to path: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw Failed("the file \(path) cannot be written")
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func isPlain(_ path: String) -> Bool {
        let bytes = path.utf8
        return bytes.count <= 60 && path.hasPrefix("/")
            && bytes.allSatisfy { byte in
                Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "/._-".utf8.contains(byte)
            }
    }
}
