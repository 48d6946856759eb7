package import Runtime

extension SigningKeyStore {
    /// The status of a key at a given time.
    package enum Status: Sendable, Equatable {
        /// It is published, so that caches of the key set have it when it begins to sign.
        case waits(signsFrom: Instant)
        /// It signs all new tokens of its algorithm, until the next key does.
        case signs(since: Instant, until: Instant?)
        /// A newer key signs; this one is published for the tokens that it has signed.
        case verifies(until: Instant?)
        /// It is not published any more.
        case retired(since: Instant)
    }

    /// Each key with its status, in the given order. The rule is that of `SigningKeys`: the newest key whose time has come signs.
    package static func statuses(of keys: [Entry], at now: Instant) -> [(key: Entry, status: Status)] {
        keys.map { key in
            if let end = key.retiresAt, end <= now { return (key, .retired(since: end)) }
            let others = keys.filter { $0.signsAs(key) && $0.signsFrom > key.signsFrom }
            if others.contains(where: { $0.signsFrom <= now }) { return (key, .verifies(until: key.retiresAt)) }
            // When the clock is slow, the first key signs already.
            let isFirst = !keys.contains { $0.signsAs(key) && $0.signsFrom < key.signsFrom }
            if key.signsFrom > now && !isFirst { return (key, .waits(signsFrom: key.signsFrom)) }
            return (key, .signs(since: key.signsFrom, until: others.map(\.signsFrom).min()))
        }
    }
}

extension SigningKeyStore.Entry {
    /// Whether it signs the same tokens as `other`, before it or after it.
    fileprivate func signsAs(_ other: Self) -> Bool { purpose == other.purpose && algorithm == other.algorithm }
}
