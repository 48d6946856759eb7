import Crypto
import Runtime

/// A part of an account that an import takes over as a whole, when it was changed at the source.
///
/// A source is read several times before a move: what changed there since the last time is taken, unless it was changed here, too. Then ours
/// stays, and the operator is told.
enum ImportedField: String, CaseIterable {
    case email, password, claims, disabled, profile, phoneNumber, identities, secondFactors
    /// Only of the stored account: whether its sessions were ended since.
    case sessions

    /// The fields that open the account. Once one of these was changed here, or its sessions were ended, none of them is taken any more: a thief who was
    /// shut out here may still have the account at the source.
    static let credentials: [ImportedField] = [.email, .password, .phoneNumber, .identities, .secondFactors, .sessions]

    /// The bytes that are equal where the field is.
    ///
    /// - Parameter password: the fingerprint of a source's. In the stored account, the time at which the password was set stands for it: its hash is
    ///   made anew at a sign-in.
    fileprivate func value(of account: Account, _ password: [UInt8]?, isSource: Bool) -> [UInt8] {
        var value = FieldBytes()
        switch self {
        case .email:
            value.add(account.email)
            value.add("\(account.emailVerified) \(account.emailProven)")
        case .password where isSource: value.add(password)
        case .password: value.add(account.passwordUpdatedAt.map { "\($0.microseconds)" })
        case .claims: value.add(account.customAttributes)
        case .disabled: value.add("\(account.disabled)")
        case .profile: for text in [account.displayName, account.photoURL, account.profile] { value.add(text) }
        case .phoneNumber: value.add(account.phoneNumber)
        case .identities:
            // What a provider says of its person changes with each sign-in, so only the links count.
            for identity in account.identities { for text in [identity.providerID, identity.subject] { value.add(text) } }
        case .sessions: value.add(isSource ? nil : account.sessionsEndedAt.map { "\($0.microseconds)" })
        case .secondFactors: value.add(isSource ? account.secondFactors : FactorSecrets.split(account.secondFactors).shown)
        }
        return value.bytes
    }

    /// Whether the source does not have it, or does not show it: then an import again takes nothing away.
    fileprivate func isAbsent(in imported: ImportedAccount) -> Bool {
        switch self {
        case .email: imported.account.email == nil
        case .password: imported.password == nil
        case .phoneNumber: imported.account.phoneNumber == nil
        case .secondFactors: imported.account.secondFactors == nil
        default: false
        }
    }

    /// - Parameter isAgain: whether identities that the source does not have stay.
    fileprivate func move(from source: Account, to account: inout Account, isAgain: Bool) {
        switch self {
        case .email:
            (account.email, account.emailVerified, account.emailProven) = (source.email, source.emailVerified, source.emailProven)
            (account.initialEmail, account.emailLinkSignIn) = (source.initialEmail, source.emailLinkSignIn)
        case .password: account.passwordUpdatedAt = source.passwordUpdatedAt
        case .claims: account.customAttributes = source.customAttributes
        case .disabled: account.disabled = source.disabled
        case .profile:
            (account.displayName, account.photoURL, account.profile) = (source.displayName, source.photoURL, source.profile)
        case .phoneNumber: account.phoneNumber = source.phoneNumber
        case .identities:
            let others = isAgain ? account.identities.filter { !source.has($0.providerID) } : []
            account.identities =
                others + source.identities.map { identity in account.identities.first { $0.isSame(as: identity) } ?? identity }
            account.identities.sort { $0.providerID < $1.providerID }
        case .secondFactors: account.secondFactors = source.secondFactors
        case .sessions: break
        }
    }
}

/// Remembers an imported account: digests of it as its source had it, and as it was stored.
struct ImportMemory: Equatable {
    /// Of the whole record.
    let digest: [UInt8]
    /// For each field in the order of `ImportedField`: of the source's value, and of the value stored from it; four bytes each.
    private(set) var fields: [UInt8]

    static let digestLength = 16
    private static let length = 4

    init(digest: [UInt8], fields: [UInt8]) {
        self.digest = digest
        self.fields = fields
    }

    init(_ imported: ImportedAccount) {
        digest = Self.digest(of: imported)
        fields = ImportedField.allCases.flatMap { field in
            Self.short(field.value(of: imported.account, imported.passwordFingerprint, isSource: true))
                + Self.short(field.value(of: imported.account, nil, isSource: false))
        }
    }

    static func digest(of imported: ImportedAccount) -> [UInt8] {
        let account = imported.account
        var bytes = FieldBytes()
        for field in ImportedField.allCases { bytes.add(field.value(of: account, imported.passwordFingerprint, isSource: true)) }
        // The time of the import is another one each time.
        let createdAt = imported.isOfUnknownAge ? nil : account.createdAt
        let passwordUpdatedAt = imported.isOfUnknownAge ? nil : account.passwordUpdatedAt
        let times = [account.validSince, createdAt, account.lastLoginAt, account.lastRefreshAt, passwordUpdatedAt]
        for time in times { bytes.add(time.map { "\($0.microseconds)" }) }
        for identity in account.identities {
            for text in [identity.email, "\(identity.emailVerified)", identity.displayName, identity.photoURL, identity.screenName] {
                bytes.add(text)
            }
        }
        bytes.add(account.initialEmail)
        bytes.add("\(account.emailLinkSignIn) \(account.customAuth)")
        for (providerID, record) in imported.identityRecords.sorted(by: { $0.key < $1.key }) {
            for text in [providerID, record.alias, record.tenant, record.isUnproven.map { "\($0)" }] { bytes.add(text) }
            for time in [record.linkedAt, record.lastSignInAt] { bytes.add(time.map { "\($0.microseconds)" }) }
        }
        return Array(Digest.sha256(bytes.bytes).prefix(digestLength))
    }

    /// Whether the account's password is the one that was imported: nobody has set or removed it here since.
    func hasPassword(of account: Account) -> Bool {
        has(ImportedField.password.value(of: account, nil, isSource: false), of: .password, stored: true)
    }

    private static func short(_ bytes: [UInt8]) -> [UInt8] { Array(Digest.sha256(bytes).prefix(length)) }

    private func part(_ field: ImportedField, stored: Bool) -> Range<Int> {
        let place = (ImportedField.allCases.firstIndex(of: field) ?? 0) * 2 + (stored ? 1 : 0)
        return place * Self.length..<(place + 1) * Self.length
    }

    fileprivate func has(_ value: [UInt8], of field: ImportedField, stored: Bool) -> Bool {
        Self.short(value) == Array(fields[part(field, stored: stored)])
    }

    /// Whether every field of the account is as the last import stored it.
    func isAsStored(_ account: Account) -> Bool {
        ImportedField.allCases.allSatisfy { has($0.value(of: account, nil, isSource: false), of: $0, stored: true) }
    }

    fileprivate mutating func keep(_ field: ImportedField, of other: ImportMemory, stored: Bool) {
        let range = part(field, stored: stored)
        fields.replaceSubrange(range, with: other.fields[range])
    }

    /// Remembers that the import itself has ended sessions.
    mutating func note(endedSessionsOf account: Account) {
        fields.replaceSubrange(
            part(.sessions, stored: true), with: Self.short(ImportedField.sessions.value(of: account, nil, isSource: false)))
    }
}

/// The account after an import that found it imported before.
struct ImportMerge {
    /// With the fields that are taken from the source.
    private(set) var account: Account
    /// Whether the source's password is taken.
    private(set) var takesPassword = false
    /// Fields that were changed on both sides: ours stay.
    private(set) var kept: [ImportedField] = []
    var memory: ImportMemory

    /// - Parameter before: the memory of the last import; `nil` to take every field.
    init(_ imported: ImportedAccount, into stored: Account, _ before: ImportMemory?) {
        account = stored
        memory = ImportMemory(imported)
        let source = imported.account
        func isTouched(_ field: ImportedField) -> Bool {
            before.map { !$0.has(field.value(of: stored, nil, isSource: false), of: field, stored: true) } ?? false
        }
        let keepsCredentials = ImportedField.credentials.contains(where: isTouched)
        for field in ImportedField.allCases {
            let theirs = field.value(of: source, imported.passwordFingerprint, isSource: true)
            if let before {
                let isOurs = ImportedField.credentials.contains(field) ? keepsCredentials : isTouched(field)
                if isOurs { memory.keep(field, of: before, stored: true) }
                if field.isAbsent(in: imported) {
                    for half in [false, true] { memory.keep(field, of: before, stored: half) }
                    continue
                }
                guard !before.has(theirs, of: field, stored: false) else { continue }
                let isSame = field != .password && theirs == field.value(of: stored, nil, isSource: true)
                guard !isOurs || isSame else {
                    kept.append(field)
                    continue
                }
            }
            field.move(from: source, to: &account, isAgain: before != nil)
            if field == .password { takesPassword = imported.password != nil }
        }
        // A password or a link needs the address that it signs in with, and one of the two may be ours.
        if account.email == nil { (account.passwordUpdatedAt, account.emailLinkSignIn, takesPassword) = (nil, false, false) }
        account.customAuth = account.customAuth || source.customAuth
        if !imported.isOfUnknownAge { account.createdAt = source.createdAt }
        account.validSince = max(account.validSince, source.validSince)
        account.lastLoginAt = [account.lastLoginAt, source.lastLoginAt].compactMap(\.self).max()
    }
}

/// Texts one after another, each with its length, so that no two lists have the same bytes.
private struct FieldBytes {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ value: [UInt8]?) {
        bytes += Int64(value?.count ?? -1).bigEndianBytes
        if let value { bytes += value }
    }

    mutating func add(_ text: String?) { add(text.map { Array($0.utf8) }) }
}
