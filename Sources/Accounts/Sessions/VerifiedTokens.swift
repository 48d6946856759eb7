import Crypto
import ProjectSettings
import Synchronization
import Text

/// Remembers ID tokens that come again and again: SDKs show the same one at every start of an app, for up to an hour, and its signature is
/// a third of what a lookup costs. A token is remembered when it was verified for the second time, so that those that come once cost next
/// to nothing.
///
/// Only what can never change is remembered: that a key of ours signed the bytes with this digest, and what they say. The expiry, the account and the
/// session are checked at each call. When a key comes or goes, all is forgotten.
final class VerifiedTokens: Sendable {
    /// An object, since a dictionary sets room aside for twice as many values as it holds.
    private final class Entry: Sendable {
        let digest: SIMD4<UInt64>
        let projectID: String
        let issuer: ProjectSettings.Issuer
        let token: IDToken

        init(digest: SIMD4<UInt64>, projectID: String, issuer: ProjectSettings.Issuer, token: IDToken) {
            self.digest = digest
            self.projectID = projectID
            self.issuer = issuer
            self.token = token
        }
    }

    private struct State {
        /// Says under which keys the entries were verified.
        var keys = ""
        /// The marks of tokens that were verified once; each in its place, in which a newer one replaces it.
        var seen: [UInt64]
        var newer: [UInt64: Entry] = [:]
        var older: [UInt64: Entry] = [:]
    }

    private let state: Mutex<State>
    private let room: Int

    /// - Parameter room: how many tokens are remembered at least; twice as many at most. A token takes some 300 bytes.
    init(room: Int = 1024) {
        self.room = room
        state = Mutex(State(seen: Array(repeating: 0, count: room)))
    }

    /// The token with this text, if it was verified for this project and issuer by one of these keys.
    /// - Parameter keys: `SigningKeys.Published.jwksTag`.
    func token(_ text: UTF8Text, for projectID: String, from issuer: ProjectSettings.Issuer, keys: String) -> IDToken? {
        guard let mark = Self.mark(of: text) else { return nil }
        let entry = state.withLock { state in state.keys == keys ? state.newer[mark] ?? state.older[mark] : nil }
        // The mark only finds the entry; the digest decides.
        guard let entry, entry.projectID == projectID, entry.issuer == issuer, entry.digest == Self.digest(of: text) else { return nil }
        return entry.token
    }

    /// Notes that the token was verified.
    func note(_ token: IDToken, as text: UTF8Text, for projectID: String, from issuer: ProjectSettings.Issuer, keys: String) {
        guard let mark = Self.mark(of: text) else { return }
        let comesAgain = state.withLock { state in
            if state.keys != keys { state = State(keys: keys, seen: Array(repeating: 0, count: room)) }
            // The bits of the mark are letters; the product spreads them.
            let place = Int((mark &* 0x9E37_79B9_7F4A_7C15) >> 32) % room
            let former = state.seen[place]
            state.seen[place] = mark
            return former == mark
        }
        guard comesAgain else { return }
        let entry = Entry(digest: Self.digest(of: text), projectID: projectID, issuer: issuer, token: token)
        // What is forgotten is freed after the lock, for which other loops may wait.
        _ = state.withLock { state in
            var forgotten: [UInt64: Entry] = [:]
            guard state.keys == keys else { return forgotten }
            if state.newer.count >= room { (forgotten, state.older, state.newer) = (state.older, state.newer, [:]) }
            state.newer[mark] = entry
            return forgotten
        }
    }

    var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// The end of the text, which is a part of the signature.
    private static func mark(of text: UTF8Text) -> UInt64? {
        text.withBytes { bytes in
            let start = bytes.count - MemoryLayout<UInt64>.size
            return start < 0 ? nil : bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        }
    }

    private static func digest(of text: UTF8Text) -> SIMD4<UInt64> {
        text.withBytes { Digest.sha256($0) }.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
}
