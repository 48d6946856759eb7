import Crypto
import Runtime
import Testing

@testable import Accounts

/// The merge of a record that was imported before with the account that it became.
struct ImportMergeTests {
    private static let start = Instant(seconds: 1_700_000_000)

    private func source(_ change: (inout Account) -> Void = { _ in }, password: String = "old") -> ImportedAccount {
        var account = Account(id: "ada", at: Self.start)
        account.email = "ada@example.com"
        account.displayName = "Ada"
        account.passwordUpdatedAt = Self.start
        account.identities = [LinkedIdentity(providerID: "google.com", subject: "1")]
        change(&account)
        var imported = ImportedAccount(account, password: .plain(password), place: 1)
        imported.passwordFingerprint = imported.password?.fingerprint(key: [1], of: "demo ada")
        return imported
    }

    @Test func `an equal record has an equal digest, and each change of it another one`() {
        let before = ImportMemory.digest(of: source())
        #expect(ImportMemory.digest(of: source()) == before && before.count == ImportMemory.digestLength)
        let changes: [(inout Account) -> Void] = [
            { $0.email = "other@example.com" }, { $0.emailVerified = true }, { $0.displayName = "Countess" }, { $0.photoURL = "https://a" },
            { $0.disabled = true }, { $0.customAttributes = "{}" }, { $0.phoneNumber = "+15550100" }, { $0.secondFactors = "[]" },
            { $0.identities = [] }, { $0.identities[0].displayName = "Ada" }, { $0.validSince = Self.start + .seconds(1) },
            { $0.lastLoginAt = Self.start + .seconds(1) }, { $0.createdAt = Self.start + .seconds(1) }, { $0.emailLinkSignIn = true },
            { $0.customAuth = true }, { $0.initialEmail = "first@example.com" }, { $0.lastRefreshAt = Self.start },
        ]
        let digests = changes.map { ImportMemory.digest(of: source($0)) } + [ImportMemory.digest(of: source(password: "new"))]
        #expect(Set(digests + [before]).count == changes.count + 2)
    }

    @Test func `the time of an import that stands for an unknown age is no change`() {
        func unknown(at now: Instant) -> ImportedAccount {
            var record = source {
                $0.createdAt = now
                $0.passwordUpdatedAt = now
            }
            record.isOfUnknownAge = true
            return record
        }
        let (first, second) = (unknown(at: Self.start), unknown(at: Self.start + .seconds(60)))
        #expect(ImportMemory.digest(of: first) == ImportMemory.digest(of: second))
        #expect(ImportMerge(second, into: first.account, ImportMemory(first)).account == first.account)
    }

    @Test func `what changed there alone is taken, what changed here alone stays, and of both ours stays and is told`() {
        let before = source()
        var stored = before.account
        stored.displayName = "Ours"
        stored.customAttributes = #"{"a":1}"#
        let after = source(
            {
                $0.email = "new@example.com"
                $0.displayName = "Theirs"
                $0.disabled = true
            }, password: "new")
        let merge = ImportMerge(after, into: stored, ImportMemory(before))
        #expect(merge.account.email == "new@example.com" && merge.account.disabled && merge.takesPassword)
        #expect(merge.account.displayName == "Ours" && merge.account.customAttributes == #"{"a":1}"#)
        #expect(merge.kept == [.profile])
        #expect(merge.memory.digest == ImportMemory(after).digest)
    }

    @Test func `ours stays at later imports, too`() {
        let first = source()
        var stored = first.account
        stored.displayName = "Ours"
        let second = ImportMerge(source { $0.displayName = "Theirs" }, into: stored, ImportMemory(first))
        let third = ImportMerge(source { $0.displayName = "Theirs again" }, into: second.account, second.memory)
        #expect(third.account.displayName == "Ours" && third.kept == [.profile])
        // The same change on both sides is no conflict.
        let same = ImportMerge(source { $0.displayName = "Ours" }, into: stored, ImportMemory(first))
        #expect(same.account.displayName == "Ours" && same.kept.isEmpty)
    }

    @Test func `a password that was made anew here counts as untouched, and one that was set here as ours`() {
        let before = source()
        let memory = ImportMemory(before)
        // A hash that is made anew at a sign-in leaves the time at which the password was set.
        #expect(ImportMerge(source(password: "new"), into: before.account, memory).takesPassword)
        var stored = before.account
        stored.passwordUpdatedAt = Self.start + .seconds(60)
        let merge = ImportMerge(source(password: "new"), into: stored, memory)
        #expect(!merge.takesPassword && merge.kept == [.password] && merge.account.passwordUpdatedAt == stored.passwordUpdatedAt)
    }

    @Test func `once the account was secured here, nothing that opens it is taken from the source`() {
        let before = source()
        let securing: [(inout Account) -> Void] = [
            { $0.passwordUpdatedAt = Self.start + .seconds(60) }, { $0.sessionsEndedAt = Self.start + .seconds(60) },
            { $0.identities = [] }, { $0.phoneNumber = "+15555550100" },
        ]
        for secure in securing {
            var stored = before.account
            secure(&stored)
            let thief = source(
                {
                    $0.email = "thief@example.com"
                    $0.identities.append(LinkedIdentity(providerID: "oidc.thief", subject: "1"))
                    $0.displayName = "Ada L"
                }, password: "of the thief")
            let merge = ImportMerge(thief, into: stored, ImportMemory(before))
            #expect(merge.account.email == stored.email && merge.account.identities == stored.identities && !merge.takesPassword)
            #expect(merge.account.displayName == "Ada L" && merge.kept == [.email, .password, .identities])
        }
    }

    @Test func `a poorer source takes nothing away, and a replacement does`() {
        let before = source {
            $0.phoneNumber = "+15555550100"
            $0.secondFactors = "[]"
        }
        var poor = source {
            $0.identities = []
            $0.passwordUpdatedAt = nil
            $0.displayName = "Ada L"
        }
        (poor.password, poor.passwordFingerprint) = (nil, nil)
        let merge = ImportMerge(poor, into: before.account, ImportMemory(before))
        var expected = before.account
        expected.displayName = "Ada L"
        #expect(merge.account == expected && merge.kept.isEmpty && !merge.takesPassword)
        // The full source later finds nothing changed here.
        #expect(ImportMerge(before, into: merge.account, merge.memory).kept.isEmpty)
        let replaced = ImportMerge(poor, into: before.account, nil).account
        #expect(replaced.identities.isEmpty && replaced.phoneNumber == nil && !replaced.hasPassword && replaced.secondFactors == nil)
    }

    @Test func `times only go forward, and a replaced account takes everything`() {
        var stored = source().account
        stored.lastLoginAt = Self.start + .seconds(100)
        stored.validSince = Self.start + .seconds(50)
        stored.displayName = "Ours"
        let merge = ImportMerge(source { $0.lastLoginAt = Self.start + .seconds(10) }, into: stored, nil)
        #expect(merge.account.lastLoginAt == Self.start + .seconds(100) && merge.account.validSince == Self.start + .seconds(50))
        #expect(merge.account.displayName == "Ada" && merge.takesPassword && merge.kept.isEmpty)
    }

    @Test func `a password stays with the address that it signs in with`() {
        let before = source()
        var stored = before.account
        stored.email = nil
        stored.passwordUpdatedAt = nil
        let merge = ImportMerge(source(password: "new"), into: stored, ImportMemory(before))
        #expect(merge.account.email == nil && !merge.account.hasPassword && !merge.takesPassword)
    }
}
