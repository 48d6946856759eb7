import Glibc
import Runtime
import Testing

@testable import Config

@Suite struct SecretTests {
    @Test func `comes from the environment or from a file beside the configuration`() {
        let folder = Folder()
        _ = folder.write("key", "line one\nline two\r\n\n")
        let yaml = folder.write("c.yaml", "a: {env: TOKEN}\nb: {file: key}\nc: {file: \(folder.path)/key}\n")
        let faults = Faults()
        let section = ConfigFile.read(yaml, environment: ["TOKEN": " t \n"], faults: faults)
        #expect(section.requiredSecret("a").reveal() == " t \n")
        #expect(section.secret("b")?.reveal() == "line one\nline two")
        #expect(section.secret("c")?.reveal() == "line one\nline two")
        #expect(faults.isEmpty)
    }

    @Test(arguments: [
        ("k: hunter2", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: {value: hunter2}", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: {env: A, file: b}", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: {env: }", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: {env: [hunter2]}", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: [hunter2]", "c.yaml:1:4  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k:", "c.yaml:1:3  k: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"),
        ("k: {env: NOWHERE}", "c.yaml:1:10  k: the environment variable NOWHERE is not set"),
        ("k: {env: EMPTY}", "c.yaml:1:10  k: the environment variable EMPTY is empty"),
        ("k: {file: /nonexistent/key}", "c.yaml:1:11  k: the file /nonexistent/key cannot be read (open: No such file or directory)"),
        ("k: {file: /dev/null}", "c.yaml:1:11  k: the file /dev/null is empty"),
        ("k: {file: /dev/zero}", "c.yaml:1:11  k: the file /dev/zero is larger than 64 KiB"),
        ("other: 1", "c.yaml:1:1  k: is missing; write {env: NAME} or {file: path}"),
    ])
    func `SEC-21 a secret in the file or out of reach is one fault, which never quotes it`(yaml: String, fault: String) {
        let (secret, faults) = reading(yaml, environment: ["EMPTY": ""]) { $0.requiredSecret("k") }
        #expect(secret.reveal() == "")
        #expect(faults == [fault])
        #expect(!faults.joined().contains("hunter2"))
    }

    @Test func `a credential is read from the folder that systemd shows to the service`() {
        let folder = Folder()
        let file = folder.write("master.key", "s3cret\n")
        // systemd lets the group read it where the service has a user of its own.
        #expect(chmod(file, 0o440) == 0)
        let faults = Faults()
        let section = ConfigFile.read(
            folder.write("c.yaml", "k: {credential: master.key}\n"), environment: ["CREDENTIALS_DIRECTORY": folder.path], faults: faults)
        #expect(section.secret("k")?.reveal() == "s3cret")
        #expect(faults.isEmpty && faults.notes.isEmpty)
    }

    @Test(
        arguments: [
            ("a", [:], "CREDENTIALS_DIRECTORY is not set; only a unit of systemd with LoadCredential=a:… or the like has it"),
            ("a", ["CREDENTIALS_DIRECTORY": "/none"], "the file /none/a cannot be read (open: No such file or directory)"),
            ("../a", ["CREDENTIALS_DIRECTORY": "/none"], "a credential's name has no folder"),
            ("..", ["CREDENTIALS_DIRECTORY": "/none"], "a credential's name has no folder"),
        ] as [(String, [String: String], String)])
    func `SEC-21 a credential that is not there is a fault`(name: String, environment: [String: String], fault: String) {
        let (secret, faults) = reading("k: {credential: \(name)}", environment: environment) { $0.secret("k") }
        #expect(secret == nil)
        #expect(faults == ["c.yaml:1:17  k: \(fault)"])
    }

    @Test func `several secrets stand in a list, and none where none is required`() {
        let yaml = "a: [{env: A}, {env: B}]\nb: {env: A}\nc: []\nd: ~\nf: [{env: A}, plain]"
        let (secrets, faults) = reading(yaml, environment: ["A": "one", "B": "two"]) { file in
            ["a", "b", "c", "d", "absent", "f"].map { file.secrets($0).map { $0.reveal() } }
        }
        #expect(secrets == [["one", "two"], ["one"], [], [], [], ["one"]])
        #expect(faults == ["c.yaml:5:15  f[1]: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"])
    }

    @Test func `another file is read from beside the configuration`() {
        let folder = Folder()
        _ = folder.write("keys.json", "{}")
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "a: keys.json\nb: nowhere.json\n"), environment: [:], faults: faults)
        #expect(section.text(ofFile: "a")?.text == "{}" && section.text(ofFile: "a")?.path == "\(folder.path)/keys.json")
        #expect(section.text(ofFile: "b") == nil && section.text(ofFile: "absent") == nil)
        #expect(faults.all.map(\.message) == ["the file \(folder.path)/nowhere.json cannot be read (open: No such file or directory)"])
    }

    @Test func `a secret file of newlines alone is empty, and one that is not text is a fault`() {
        let folder = Folder()
        _ = folder.write("newlines", "\n\r\n")
        _ = folder.write("binary", [0xFF, 0xFE])
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "a: {file: newlines}\nb: {file: binary}\n"), environment: [:], faults: faults)
        #expect(section.secret("a") == nil)
        #expect(section.secret("b") == nil)
        #expect(faults.all.map { $0.message.hasSuffix("is empty") || $0.message.hasSuffix("is not UTF-8 text") } == [true, true])
    }

    @Test(
        arguments: [(0o600, nil), (0o400, nil), (0o644, "0644"), (0o640, "0640"), (0o604, "0604"), (0o666, "0666")] as [(mode_t, String?)])
    func `SEC-21 a secret file that others can read is noted, and no fault`(mode: mode_t, told: String?) {
        let folder = Folder()
        let file = folder.write("key", "a secret")
        #expect(chmod(file, mode) == 0)
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "a: 1\nk: {file: key}\n"), environment: [:], faults: faults)
        #expect(section.secret("k")?.reveal() == "a secret")
        #expect(faults.isEmpty)
        let remedy = "make it the server's alone: chown to its user, chmod 600"
        let note = told.map { "\(folder.path)/c.yaml:2:11  k: group or others can read the file \(file) (mode \($0)); \(remedy)" }
        #expect(faults.notes.map(\.description) == [note].compactMap { $0 })
    }

    @Test(arguments: ["s3cret ", " s3cret\n", "s3cret \r\n"])
    func `a space around a secret counts, and is noted`(_ text: String) {
        let folder = Folder()
        let file = folder.write("key", text)
        #expect(chmod(file, 0o600) == 0)
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "k: {file: key}\n"), environment: [:], faults: faults)
        #expect(section.secret("k")?.reveal().contains(" ") == true)
        #expect(faults.isEmpty)
        #expect(
            faults.notes.map(\.message) == ["the file \(file) begins or ends with a space, which counts as a part of the secret"])
    }

    @Test func `a byte order mark before a secret is a fault`() {
        let folder = Folder()
        _ = folder.write("key", [0xEF, 0xBB, 0xBF] + Array("s3cret".utf8))
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "k: {file: key}\n"), environment: [:], faults: faults)
        #expect(section.secret("k") == nil)
        #expect(faults.all.count == 1 && faults.all.first?.message.hasSuffix("save it as UTF-8 without BOM") == true)
    }

    @Test func `a secret is read from a pipe as from a file`() throws {
        let folder = Folder()
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        // A process that another test starts meanwhile must not keep the pipe open.
        for end in ends { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        #expect(write(ends[1], "from a pipe\n", 12) == 12)
        close(ends[1])
        defer { close(ends[0]) }
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", "a: {file: /dev/fd/\(ends[0])}\n"), environment: [:], faults: faults)
        #expect(section.secret("a")?.reveal() == "from a pipe")
        #expect(section.files == nil, "a change of what a pipe gives does not show")
    }
}
