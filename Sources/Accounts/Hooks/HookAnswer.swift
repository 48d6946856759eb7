package import JSON
import Postgres
import ProjectSettings
import Runtime
import Text

/// The changes that a hook asks for. It has no member for anything else, so an answer can say no id, no address, no number, no password and no
/// tenant, whatever its JSON has (SEC-60).
package struct HookAnswer: Sendable, Equatable {
    package var displayName = FieldUpdate<String>.keep
    package var photoURL = FieldUpdate<String>.keep
    /// The value that apps get. It proves no address: rules about proven ones use `Account.emailProven`.
    package var emailVerified: Bool?
    /// As `CustomClaims` returned it.
    package var customClaims = FieldUpdate<String>.keep
    /// A JSON object as text: claims of the session alone.
    package var sessionClaims: String?
    /// Whether the account is disabled, and the person not signed in.
    package var disables = false

    package init() {}
}

extension Account {
    /// The account as the answer would have it.
    mutating func take(_ answer: HookAnswer) {
        answer.displayName.apply(to: &displayName)
        answer.photoURL.apply(to: &photoURL)
        answer.customClaims.apply(to: &customAttributes)
        if let verified = answer.emailVerified, email != nil {
            emailVerified = verified
            // As where an administrator takes the address back.
            if !verified { emailProven = false }
        }
        if answer.disables { disabled = true }
    }

    /// Stores what hooks have changed since `read`; `nil` for nothing. Must come after the statements of the sign-in, which lock or make the
    /// account. Another change in between stays, except of the same field.
    func storeHookChanges(since read: Account, in project: ProjectSettings) -> SQL? {
        var assignments: [SQL] = []
        if hasOtherProfile(than: read) { assignments.append("display_name = \(displayName), photo_url = \(photoURL)") }
        if hasOtherClaims(than: read) { assignments.append("custom_attributes = \(customAttributes)") }
        if emailVerified != read.emailVerified || emailProven != read.emailProven {
            // Of this address, and of no other one that it may have by now.
            let isSame: SQL = "email IS NOT DISTINCT FROM \(read.email)"
            assignments.append("email_verified = CASE WHEN \(isSame) THEN \(emailVerified) ELSE email_verified END")
            if emailProven != read.emailProven {
                assignments.append("email_proven = email_proven AND NOT (\(isSame))")
            }
        }
        if disabled, !read.disabled {
            assignments.append("disabled = true, valid_since = \(validSince), sessions_ended_at = \(sessionsEndedAt)")
        }
        guard let first = assignments.first else { return nil }
        let all = assignments.dropFirst().reduce(first) { "\($0), \($1)" }
        return "UPDATE accounts SET \(all) WHERE project_id = \(project: project) AND account_id = \(id)"
    }

    /// The events by which hooks made this of `read`.
    func hookEvents(since read: Account) -> [AccountEvent] {
        var actions: [AuditEvent.Action] = []
        if disabled, !read.disabled { actions.append(.accountDisabled) }
        if hasOtherClaims(than: read) { actions.append(.claimsChanged) }
        if emailVerified != read.emailVerified { actions.append(.emailChanged) }
        if hasOtherProfile(than: read) { actions.append(.profileChanged) }
        return actions.map { AccountEvent($0) }
    }

    /// By the bytes, since other texts can look the same.
    private func hasOtherClaims(than read: Account) -> Bool {
        customAttributes.map { UTF8Text($0) } != read.customAttributes.map { UTF8Text($0) }
    }
}
