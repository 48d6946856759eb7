import Runtime
import Synchronization

/// A cache of values by their URL. It decides when to fetch, when to wait for another caller's fetch, and when to use an old value.
final class RemoteValues<Value: Sendable>: Sendable {
    typealias Fetch = () async throws(ProviderError) -> Value

    private struct Entry {
        var value: Value?
        /// The time when `value` was fetched.
        var fetched = Instant(microseconds: 0)
        /// The time until which no newer value is fetched without a special reason.
        var fresh = Instant(microseconds: 0)
        /// The time of the last fetch, whether it succeeded or not.
        var asked: Instant?
        /// The time of the last fetch for something that `value` lacked.
        var askedForMore: Instant?
        /// The error of the last fetch, in a cache that remembers failures.
        var failure: ProviderError?
        var isFetching = false
        var waiters: [CheckedContinuation<Result<Value, ProviderError>?, Never>] = []

        /// The value while it is less than a day old.
        func usable(_ now: Instant) -> Value? { now < fetched + RemoteValues.staleLife ? value : nil }
    }

    private enum Step {
        case have(Value)
        case failed(ProviderError)
        case fetch
        case wait
        case refuse
    }

    static var freshLife: Duration { .seconds(3600) }
    static var staleLife: Duration { .seconds(86_400) }
    /// The time between two fetches after a failure, and between two for what a value lacks.
    static var pause: Duration { .seconds(60) }

    private let entries = Mutex<[String: Entry]>([:])
    private let most: Int
    private let remembersFailures: Bool
    private let budget: FetchBudget?
    private let earlier: @Sendable () -> Duration

    /// - Parameters:
    ///   - most: how many values are kept; the oldest is dropped.
    ///   - remembersFailures: whether a failed URL is not fetched again for a minute, for URLs that any client can invent. Otherwise, a
    ///     value that is available again is found at once.
    ///   - budget: how many are fetched for `value`; `nil` for any number. A refusal for its lack says nothing of the URL, and is not
    ///     remembered.
    init(
        most: Int = 512, remembersFailures: Bool = false, budget: FetchBudget? = nil, earlier: @escaping @Sendable () -> Duration
    ) {
        self.most = most
        self.remembersFailures = remembersFailures
        self.budget = budget
        self.earlier = earlier
    }

    var count: Int { entries.withLock { $0.count } }

    /// The value of `url`: the cached one, else a new one, else an old one. Throws the error of `fetch` when there is none, and `unavailable`
    /// when the budget is used up.
    func value(of url: String, now: Instant, fetch: Fetch) async throws(ProviderError) -> Value {
        while true {
            let step = step(url) { entry in
                if let value = entry.usable(now), now < entry.fresh || entry.isFetching { return .have(value) }
                if let failure = entry.failure, let asked = entry.asked, now >= asked, now < asked + Self.pause { return .failed(failure) }
                if entry.isFetching { return .wait }
                if budget?.take(at: now) ?? true { return .fetch }
                return entry.usable(now).map(Step.have) ?? .refuse
            }
            switch step {
            case .have(let value): return value
            case .failed(let failure): throw failure
            case .fetch: return try await fetched(url, now, fetch)
            case .wait: if let value = try await awaited(url) { return value }
            case .refuse: throw FetchBudget.refusal(of: url)
            }
        }
    }

    /// A value that is fetched now, or by another caller meanwhile; `nil` when the last such fetch is less than a minute old. Other fetches do
    /// not count: an issuer may begin again with new keys right after one.
    func newer(of url: String, now: Instant, fetch: Fetch) async throws(ProviderError) -> Value? {
        let step = step(url, asMore: now) { entry in
            if entry.isFetching { return .wait }
            if let asked = entry.askedForMore, now >= asked, now < asked + Self.pause { return .refuse }
            return .fetch
        }
        switch step {
        case .fetch: return try await fetched(url, now, fetch)
        case .wait: return try await awaited(url)
        case .have, .failed, .refuse: return nil
        }
    }

    /// Decides under the lock; only one caller is told to fetch.
    /// - Parameter more: the present time, for a fetch of what the value lacks.
    private func step(_ url: String, asMore more: Instant? = nil, _ decide: (Entry) -> Step) -> Step {
        entries.withLock { entries in
            let step = decide(entries[url] ?? Entry())
            if case .fetch = step {
                if entries[url] == nil { makeRoom(&entries) }
                entries[url, default: Entry()].isFetching = true
                if let more { entries[url]?.askedForMore = more }
            }
            return step
        }
    }

    private func makeRoom(_ entries: inout [String: Entry]) {
        guard entries.count >= most else { return }
        let oldest = entries.filter { !$0.value.isFetching }.min { $0.value.fetched < $1.value.fetched }
        if let oldest { entries[oldest.key] = nil }
    }

    private func fetched(_ url: String, _ now: Instant, _ fetch: Fetch) async throws(ProviderError) -> Value {
        let result: Result<Value, ProviderError>
        do throws(ProviderError) { result = .success(try await fetch()) } catch { result = .failure(error) }
        // A fetch that ended because its own caller went away has no result for the others, so they try again.
        let isAnswer = (try? result.get()) != nil || !Task.isCancelled
        let (waiters, outcome) = entries.withLock { entries in
            var entry = entries[url] ?? Entry()
            defer { entries[url] = entry }
            entry.isFetching = false
            if isAnswer { entry.asked = now }
            var outcome = result
            switch result {
            case .success(let value):
                entry.value = value
                entry.fetched = now
                entry.failure = nil
                entry.fresh = now + Self.freshLife - earlier()
            case .failure(let failure):
                if let value = entry.usable(now) {
                    entry.fresh = now + Self.pause
                    outcome = .success(value)
                } else if remembersFailures, isAnswer {
                    entry.failure = failure
                }
            }
            defer { entry.waiters = [] }
            return (entry.waiters, outcome)
        }
        for waiter in waiters { waiter.resume(returning: isAnswer ? outcome : nil) }
        return try outcome.get()
    }

    /// The result of the running fetch; `nil` when it has ended without one.
    private func awaited(_ url: String) async throws(ProviderError) -> Value? {
        let result = await withCheckedContinuation { waiter in
            let isOver = entries.withLock { entries in
                guard entries[url]?.isFetching == true else { return true }
                entries[url]?.waiters.append(waiter)
                return false
            }
            if isOver { waiter.resume(returning: nil) }
        }
        return try result?.get()
    }
}
