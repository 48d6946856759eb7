import Crypto
import Postgres
import ProjectSettings
import Runtime

/// The change of an account that is there by an import.
struct ImportChange: Sendable {
    let imported: ImportedAccount
    let stored: Account
    let merge: ImportMerge
    /// Whether the source's account takes the place of ours, so that another password or address ends what came by the former ones.
    let replaces: Bool

    /// The statements that store it. An account that is disabled there has no session here afterwards, and one whose sessions were revoked
    /// there keeps only those that began later.
    func statements(_ hash: PasswordHash?, _ secrets: FactorSecrets, in project: ProjectSettings, at now: Instant) -> [SQL] {
        var changed = merge.account
        let (sealed, hasOtherFactors) = (secrets.sealed(changed, in: project), changed.secondFactors != stored.secondFactors)
        changed.secondFactors = FactorSecrets.split(changed.secondFactors).shown
        let endsAll = changed.disabled && !stored.disabled || replaces && (changed.credentials != stored.credentials || hash != nil)
        if endsAll { changed.endTokens(at: now) } else if changed.validSince > stored.validSince { changed.noteEndedSessions(at: now) }
        let lost = stored.identitiesLost(in: changed)
        let added = changed.identitiesLost(in: stored)
        var statements = [changed.updateByAdministrator(from: stored, passwordHash: hash?.text, in: project)]
        if hasOtherFactors {
            statements.append(
                "UPDATE accounts SET factor_secrets = \(sealed) WHERE project_id = \(project: project) AND account_id = \(stored.id)")
        }
        statements += lost.map { identity in
            """
            DELETE FROM identities WHERE project_id = \(project: project) AND account_id = \(stored.id)
                AND provider_id = \(identity.providerID) AND subject = \(identity.subject)
            """
        }
        statements += added.map { changed.insert($0, imported.identityRecords[$0.providerID] ?? IdentityRecord(), in: project) }
        if endsAll {
            statements += [stored.deleteCodes(.allButRecovery, in: project), stored.endSessions(because: "imported", in: project, at: now)]
        } else if changed.validSince > stored.validSince {
            statements.append(stored.endSessions(authenticatedBefore: changed.validSince, in: project, at: now))
        }
        if !lost.isEmpty {
            statements.append(stored.endSessions(signedInBy: lost.map(\.providerID), sparing: nil, in: project, at: now))
        }
        var memory = merge.memory
        if changed.sessionsEndedAt != stored.sessionsEndedAt { memory.note(endedSessionsOf: changed) }
        return statements + [memory.store(for: stored.id, in: project)]
    }
}
