package import Runtime

extension Section {
    private static let remedy = "secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"
    private static let maxSecretBytes = 64 * 1024

    /// A secret by reference: `{env: NAME}`, `{file: path}` or `{credential: name}`. The path is relative to the configuration file's folder;
    /// newlines at the end are removed. A secret that stands in the file itself is a fault, because configurations are copied, mailed and
    /// committed.
    package func secret(_ key: String) -> Secret? { ask(key, .secret(severalAllowed: false)).flatMap { secret(key, $0) } }

    /// One secret or a list of them; at least one is required.
    package func requiredSecrets(_ key: String) -> [Secret] {
        shape?.require(key)
        let node = ask(key, .secret(severalAllowed: true))
        guard case .sequence(let items)? = node?.content, !items.isEmpty else { return [requiredSecret(key)] }
        return items.enumerated().map { index, node in secret("\(key)[\(index)]", node) ?? Secret("") }
    }

    /// One secret or a list of them; none where the key is absent.
    package func secrets(_ key: String) -> [Secret] {
        guard let node = ask(key, .secret(severalAllowed: true)), !Self.isNull(node) else { return [] }
        guard case .sequence(let items) = node.content else { return secret(key, node).map { [$0] } ?? [] }
        return items.enumerated().compactMap { index, node in secret("\(key)[\(index)]", node) }
    }

    private func secret(_ key: String, _ node: Node) -> Secret? {
        guard let members = node.members, members.count == 1, let reference = members.first,
            let name = Self.text(reference.value), !name.isEmpty
        else { return wrong(key, node, Self.remedy) }
        switch Self.text(reference.key) {
        case "env": return variable(name, key, reference.value)
        case "file":
            let file = source.resolved(name)
            guard let secret = contents(of: file, key, reference.value) else { return nil }
            if let mode = FileBytes.modeOpenToOthers(file) {
                let remedy = "make it the server's alone: chown to its user, chmod 600"
                note(key, at: reference.value, "group or others can read the file \(file) (mode \(mode)); \(remedy)")
            }
            return secret
        case "credential": return credential(name, key, reference.value)
        default: return wrong(key, node, Self.remedy)
        }
    }

    /// A secret that is required.
    package func requiredSecret(_ key: String) -> Secret {
        require(key, "write {env: NAME} or {file: path}")
        return secret(key) ?? Secret("")
    }

    private func variable(_ name: String, _ key: String, _ node: Node) -> Secret? {
        guard let text = source.environment[name] else { return wrong(key, node, "the environment variable \(name) is not set") }
        guard !text.isEmpty else { return wrong(key, node, "the environment variable \(name) is empty") }
        return remembered(Secret(text))
    }

    /// A file that systemd shows to one service alone, in a folder of memory: `LoadCredential=` and its like name it in the unit.
    /// <https://systemd.io/CREDENTIALS/>
    private func credential(_ name: String, _ key: String, _ node: Node) -> Secret? {
        guard !name.contains("/"), name != ".", name != ".." else { return wrong(key, node, "a credential's name has no folder") }
        guard let folder = source.environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
            return wrong(
                key, node, "CREDENTIALS_DIRECTORY is not set; only a unit of systemd with LoadCredential=\(name):… or the like has it")
        }
        return contents(of: "\(folder)/\(name)", key, node)
    }

    private func contents(of file: String, _ key: String, _ node: Node) -> Secret? {
        let bytes: [UInt8]
        source.note(file)
        do {
            bytes = try FileBytes.read(file, atMost: Self.maxSecretBytes)
        } catch {
            return wrong(key, node, "the file \(file) \(error.message)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return wrong(key, node, "the file \(file) is not UTF-8 text") }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            return wrong(key, node, "the file \(file) begins with a byte order mark (BOM); save it as UTF-8 without BOM")
        }
        let newlines = text.utf8.reversed().prefix { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.count
        guard newlines < text.utf8.count else { return wrong(key, node, "the file \(file) is empty") }
        let secret = text.utf8.dropLast(newlines)
        if secret.first == 0x20 || secret.last == 0x20 {
            note(key, at: node, "the file \(file) begins or ends with a space, which counts as a part of the secret")
        }
        return remembered(Secret(String(decoding: secret, as: UTF8.self)))
    }

    private func remembered(_ secret: Secret) -> Secret {
        source.secrets.append(secret)
        return secret
    }
}
