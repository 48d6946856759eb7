package import Accounts
import Identity
import JSON
package import Runtime
import Text

/// The rules by which an account of another system becomes one of ours.
///
/// They look at one account alone. `AccountImport` finds out whether two accounts want the same id, address, number or identity.
package struct ImportRules: Sendable {
    /// The worth of a source's word that an address is verified.
    package enum Mails: String, Sendable, CaseIterable {
        /// The source has asked the owner by a mail.
        case proven
        /// Somebody has said so by hand: a provider's word or a mail of ours must still prove it before it joins accounts.
        case told
    }

    package enum WithoutCredential: String, Sendable, CaseIterable {
        case keep, skip
    }

    package var mails = Mails.proven
    package var withoutCredential = WithoutCredential.keep
    /// The site of the project's passkeys; `nil` where it has none.
    package var rpID: String?
    /// Whether the project sends text messages, and whether people sign in by phone.
    package var (sendsMessages, allowsPhoneSignIn) = (true, true)
    /// The time of the import, for accounts whose source has no time at all.
    package let now: Instant

    package init(now: Instant) { self.now = now }

    /// The account to store. Nothing of it is cut or guessed: a value that cannot be stored is a fault of the account.
    ///
    /// - Parameter losses: gets what the account loses all the same, and what should be looked at.
    package func account(_ source: SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) -> ImportedAccount {
        try ImportFault.naming(source.id, at: source.place) { () throws(ImportFault) in try checked(source, &losses) }
    }

    private func checked(_ source: SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) -> ImportedAccount {
        guard AccountID.isPossible(UTF8Text(source.id)) else {
            throw ImportFault(.invalidID, "a uid has 1 to \(AccountID.longest) characters, and no control characters")
        }
        let createdAt = try time(of: source, &losses)
        var account = Account(id: source.id, at: createdAt.stored)
        // Never the time of the import: sessions that began before it would end.
        let validSince = try possible(source.validSince, "validSince") ?? createdAt.known ?? Instant(seconds: 0)
        account.validSince = Instant(seconds: validSince.seconds)
        account.sessionsEndedAt = try possible(source.sessionsEndedAt, "sessionsEndedAt")
        account.lastLoginAt = try possible(source.lastLoginAt, "lastLoginAt")
        account.lastRefreshAt = try possible(source.lastRefreshAt, "lastRefreshAt")
        account.disabled = source.disabled
        try setNames(of: source, on: &account)
        try setProfile(of: source, on: &account, &losses)
        account.customAttributes = try claims(source.customAttributes, &losses)
        account.identities = try source.identities.map { identity throws(ImportFault) in try ImportedIdentity.checked(identity) }
        account.identities.sort { $0.providerID < $1.providerID }
        if let twice = zip(account.identities, account.identities.dropFirst()).first(where: { $0.providerID.isExactly($1.providerID) }) {
            throw ImportFault(.invalidIdentity, "two identities of \(twice.0.providerID); an account has at most one of a provider")
        }
        account.secondFactors = source.secondFactors
        if !sendsMessages, account.factors.hasPhone {
            losses.note("second factor by text message: this project sends none (phone), so nothing asks for it")
        }
        let password = account.email == nil ? nil : source.password
        if password == nil, source.password != nil {
            losses.add("password of an account without an address, which nothing could sign in with")
        }
        if password != nil {
            account.passwordUpdatedAt = try possible(source.passwordUpdatedAt, "passwordUpdatedAt") ?? account.createdAt
        }
        let passkeys = try passkeys(of: source, &losses)
        account.passkeys = passkeys.map { AccountPasskey(credentialID: $0.credentialID, name: $0.name, displayName: $0.displayName) }
        account.userHandle = passkeys.isEmpty ? nil : source.userHandle
        try setSignIn(of: source, on: &account)
        // An address would be another way, by a mail.
        if !allowsPhoneSignIn, !account.customAuth, account.email == nil, account.signInProviders == [SignInProvider.phone] {
            losses.note("phone number as the only way to sign in, which this project does not allow (phone.enabled)")
        }
        var imported = ImportedAccount(account, password: password, place: source.place)
        imported.identityRecords = source.identityRecords
        imported.passkeys = passkeys
        imported.isOfUnknownAge = createdAt.known == nil && createdAt.stored == now
        return imported
    }

    /// The time when the account was made: `known` to the source, or as it is stored where only something later is known.
    private func time(
        of source: SourceAccount, _ losses: inout SourceLosses
    ) throws(ImportFault) -> (known: Instant?, stored: Instant) {
        if let createdAt = try possible(source.createdAt, "createdAt") { return (createdAt, createdAt) }
        let later = [source.passwordUpdatedAt, source.lastLoginAt].compactMap(\.self).min()
        losses.note("no time of creation: another time of the account, or that of the import, stands for it")
        return (nil, try possible(later, "lastLoginAt") ?? now)
    }

    /// Years that PostgreSQL, JavaScript and people know.
    private static let latest = Instant(seconds: 253_402_300_799)

    private func possible(_ time: Instant?, _ name: String) throws(ImportFault) -> Instant? {
        guard let time else { return nil }
        guard time >= Instant(seconds: 0), time <= Self.latest else {
            throw ImportFault(.invalidTime, "\(name) is before 1970 or after 9999; is it in the unit that it should have?")
        }
        return time
    }

    private func setNames(of source: SourceAccount, on account: inout Account) throws(ImportFault) {
        if let text = source.email {
            guard let email = EmailAddress.canonical(text) else {
                throw ImportFault(.invalidEmail, "the e-mail address is not one that mail can be sent to")
            }
            account.email = email
            account.emailVerified = source.emailVerified
            account.emailProven = mails == .proven && source.emailProven ?? source.emailVerified
        }
        account.initialEmail = source.initialEmail.flatMap(EmailAddress.canonical)
        if let number = source.phoneNumber {
            guard PhoneNumber.isE164(UTF8Text(number)) else {
                throw ImportFault(.invalidPhoneNumber, "the phone number is not in the form of E.164, such as +15555550100")
            }
            account.phoneNumber = number
        }
    }

    private func setProfile(
        of source: SourceAccount, on account: inout Account, _ losses: inout SourceLosses
    ) throws(ImportFault) {
        let texts = [
            ("displayName", source.displayName, ProfileText.longestName), ("photoUrl", source.photoURL, ProfileText.longestURL),
        ]
        for case (let name, let text?, let most) in texts where !ProfileText.isFit(text, most: most) {
            throw ImportFault(
                .invalidProfile, "\(name) is longer than \(most) characters, or has control characters; change it at the source")
        }
        account.displayName = source.displayName
        account.photoURL = source.photoURL
        if let url = source.photoURL, !ProfileText.isPicture(url) {
            losses.add("photo whose address does not begin with https://, http:// or data:image/, since a browser might run it")
            account.photoURL = nil
        }
        if let profile = source.profile {
            guard (try? JSON.parse(profile))?.object != nil else { throw ImportFault(.invalidProfile, "the profile is not a JSON object") }
            account.profile = profile
        }
    }

    private func claims(_ text: String?, _ losses: inout SourceLosses) throws(ImportFault) -> String? {
        guard let text else { return nil }
        let claims: CustomClaims.Imported
        do throws(AccountError) {
            claims = try CustomClaims.imported(UTF8Text(text))
        } catch {
            if case .customToken(.claimsTooLarge) = error {
                throw ImportFault(.invalidClaims, "the custom claims are longer than \(CustomClaims.longest) characters")
            }
            throw ImportFault(.invalidClaims, "the custom claims are not a JSON object")
        }
        for name in claims.reserved {
            losses.note("custom claim with the reserved name \(name): it is kept, and tokens never have it in place of ours")
        }
        return claims.text
    }

    /// The passkeys that can sign in here: those of the project's own site.
    private func passkeys(of source: SourceAccount, _ losses: inout SourceLosses) throws(ImportFault) -> [PasskeyRecord] {
        guard !source.passkeys.isEmpty else { return [] }
        guard source.userHandle?.count == PasskeyRecord.handleCount else {
            throw ImportFault(.invalidPasskey, "an account with passkeys has a userHandle of \(PasskeyRecord.handleCount) bytes")
        }
        return source.passkeys.filter { passkey in
            if let rpID, passkey.rpID.isExactly(rpID) { return true }
            losses.add("passkey of another site than passkeys.rpId of this project, which could not sign in here")
            return false
        }
    }

    /// An account without any way to sign in gets one, so that nothing takes it for an anonymous one that may be deleted.
    private func setSignIn(of source: SourceAccount, on account: inout Account) throws(ImportFault) {
        account.emailLinkSignIn = source.emailLinkSignIn && account.email != nil
        account.customAuth = source.customAuth
        guard account.isAnonymous else { return }
        if withoutCredential == .skip {
            throw ImportFault(.noCredential, "the account has no password, no identity and no phone number")
        }
        if source.isAnonymous { return }
        if account.email != nil { account.emailLinkSignIn = true } else { account.customAuth = true }
    }
}

/// The rules for one identity.
private enum ImportedIdentity {
    private static let longest = 255

    static func checked(_ identity: LinkedIdentity) throws(ImportFault) -> LinkedIdentity {
        for (name, text) in [("providerId", identity.providerID), ("rawId", identity.subject)] {
            let isReadable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard (1...longest).contains(text.unicodeScalars.count), isReadable else {
                throw ImportFault(
                    .invalidIdentity, "\(name) of an identity must have 1 to \(longest) characters, and no control characters")
            }
        }
        // Only a copy of what the provider says, which each sign-in renews: it is kept as a sign-in would.
        var person = ProviderIdentity(providerID: identity.providerID, issuer: "", subject: identity.subject)
        (person.email, person.emailVerified) = (identity.email, identity.emailVerified)
        (person.displayName, person.photoURL, person.screenName) = (identity.displayName, identity.photoURL, identity.screenName)
        let kept = person.kept
        return LinkedIdentity(
            providerID: identity.providerID, subject: identity.subject, email: kept.email, emailVerified: kept.emailVerified,
            displayName: kept.displayName, photoURL: kept.photoURL, screenName: kept.screenName)
    }
}
