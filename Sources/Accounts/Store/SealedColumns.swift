import Crypto

/// The columns of a table that the master key seals, and how a row is sealed again when the key changes.
struct SealedColumns: Sendable {
    let names: [String]
    /// `nil` when the rows cannot be sealed again; they end by themselves.
    let seal: Seal?

    /// The name of the rows in what `gatehouse keys reseal` prints, such as `delivery` and `deliveries`.
    struct RowName: Sendable, Hashable {
        let one: String
        let many: String
        /// The name of their number in `details` of the audit event.
        let key: String
    }

    struct Seal: Sendable {
        let rowName: RowName
        let keys: @Sendable (MasterKey) -> SealingKeys
        /// The context of a value: its project (empty where rows belong to none), the row's key as `Table.Column.asText` reads it, and its column.
        let context: @Sendable (_ project: String, _ key: [String], _ column: String) -> String
    }
}

extension SealedColumns.Seal {
    /// The values of the columns `names`, sealed with the first master key; `nil` when all are already. Throws when no listed key opens one.
    func resealed(
        _ values: [[UInt8]?], of names: [String], with masterKey: MasterKey, project: String, key: [String]
    ) throws -> [[UInt8]?]? {
        let keys = keys(masterKey)
        let anew = try zip(names, values).map { name, value in
            try value.flatMap { try keys.resealed($0, context: context(project, key, name)) }
        }
        guard anew.contains(where: { $0 != nil }) else { return nil }
        return zip(anew, values).map { $0 ?? $1 }
    }
}

extension SealedColumns {
    static let signingKeys = SealedColumns(
        names: ["private_key"],
        seal: Seal(rowName: RowName(one: "signing key", many: "signing keys", key: "signingKeys"), keys: \.signingKeys) { _, key, _ in
            key[0]
        })

    static let deliveries = SealedColumns(
        names: ["payload"],
        seal: Seal(rowName: RowName(one: "delivery", many: "deliveries", key: "deliveries"), keys: \.deliveries) { project, key, _ in
            Deliveries.context(project, Hex.decode(key[0]) ?? [])
        })

    static let providerTokens = SealedColumns(
        names: ["access_token", "refresh_token"],
        seal: Seal(
            rowName: RowName(one: "set of provider tokens", many: "sets of provider tokens", key: "providerTokens"), keys: \.providerTokens
        ) { project, key, column in
            ProviderTokenSeal.context(column, of: .init(projectID: project, accountID: key[0], providerID: key[1]))
        })

    static let hashKeys = SealedColumns(
        names: ["secret"],
        seal: Seal(rowName: RowName(one: "key of imported hashes", many: "keys of imported hashes", key: "hashKeys"), keys: \.hashKeys) {
            project, key, _ in
            HashKeys.context(project, key[0])
        })

    static let factorSecrets = SealedColumns(
        names: ["factor_secrets"],
        seal: Seal(
            rowName: RowName(one: "account with second factors", many: "accounts with second factors", key: "factorSecrets"),
            keys: \.factorSecrets
        ) { project, key, _ in
            FactorSecrets.context(project, key[0])
        })

    static let formerCredentials = SealedColumns(
        names: ["former_credential"],
        seal: Seal(
            rowName: RowName(one: "waiting sign-in", many: "waiting sign-ins", key: "pendingSignIns"), keys: \.formerSignIns
        ) { project, key, _ in
            LostSecondFactors.context(project, ofSignIn: key[0])
        })

    /// Half of the key that seals a flow's answer is in a link, so that answer cannot be sealed again. Flows last only minutes.
    static let flows = SealedColumns(names: ["secrets", "posted", "response", "event"], seal: nil)
}
