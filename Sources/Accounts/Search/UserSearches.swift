import Crypto
import JSON
import Postgres
import ProjectSettings
package import Text

/// Finds accounts for operators, page by page. An index answers each search; none reads all accounts, and no statement of one takes longer than two
/// seconds.
///
/// A page says how the next one is asked for: by the place of its last account, sealed, since a place has an address or a name in it and stands in
/// addresses of pages.
package struct UserSearches: Sendable {
    /// The accounts of a page.
    package static let pageLength = 50
    /// How many accounts a page looks at, where a filter leaves most of them out.
    package static let mostLooked = 2000

    let storage: Storage
    let positionKeys: SealingKeys

    /// The answer to a search.
    package enum Outcome: Sendable {
        case page(UserPage)
        /// A text in the middle of others is looked for, and there is no index for that.
        case notIndexed
        /// More accounts match than can be read in time.
        case tookTooLong
        /// The place is not one of this search.
        case unknownPlace
    }

    /// A page of a search.
    ///
    /// - Parameter place: `next` of the page before; `nil` for the first page.
    package func page(
        _ search: UserSearch, from place: UTF8Text? = nil, most: Int = UserSearches.pageLength, by administrator: Administrator
    ) async throws(AccountError) -> Outcome {
        let project = administrator.project
        var position = SearchPosition()
        if let place {
            guard let found = self.position(place, of: search, in: project) else { return .unknownPlace }
            position = found
        }
        do {
            if search.sources.contains(where: \.needsSubstringIndex) {
                guard try SubstringIndex.state(try await storage.read(SubstringIndex.isReady)) == .ready else { return .notIndexed }
            }
            return .page(try await read(search, from: position, most: most, in: project))
        } catch {
            if case .database(.timedOut) = error { return .tookTooLong }
            throw error
        }
    }

    /// About how many accounts the project has, as PostgreSQL estimates it. Counting them would read them all.
    package func estimate(by administrator: Administrator) async throws(AccountError) -> Int {
        let rows = try await storage.read("EXPLAIN SELECT 1 FROM accounts WHERE project_id = \(project: administrator.project)")
        let plan = try reading { try rows.first?.value(as: String.self) ?? "" }
        guard let start = plan.firstRange(of: "rows=")?.upperBound else { return 0 }
        return Int(plan[start...].prefix { $0.isNumber }) ?? 0
    }

    private func read(
        _ search: UserSearch, from start: SearchPosition, most: Int, in project: ProjectSettings
    ) async throws(AccountError) -> UserPage {
        var (page, position) = (UserPage(), start)
        while position.source < search.sources.count {
            let part = try await read(
                search.sources[position.source], of: search, from: position, most: most - page.accounts.count, in: project)
            page.accounts += part.accounts
            if let next = part.next {
                page.next = sealed(next, of: search, in: project)
                page.isUnfinished = page.accounts.count < most
                return page
            }
            position = SearchPosition(source: position.source + 1)
        }
        return page
    }

    private struct Part {
        var accounts: [Account] = []
        var next: SearchPosition?
    }

    /// Reads one account more than is asked for, which tells whether there is a next page.
    private func read(
        _ source: SearchSource, of search: UserSearch, from position: SearchPosition, most: Int, in project: ProjectSettings
    ) async throws(AccountError) -> Part {
        let others = search.sources.prefix(position.source)
        let isFiltered = search.filter.rest(behind: source, in: project) != nil
        var statements = [
            source.page(
                after: position.last, besides: others, in: search.filter, most: most + 1, looked: Self.mostLooked, in: project)
        ]
        if isFiltered {
            statements.append(
                source.lastLooked(after: position.last, besides: others, in: search.filter, looked: Self.mostLooked, in: project))
        }
        let results = try await storage.look(all: statements)
        var part = Part()
        var last: SearchPosition.Key?
        for row in results[0].prefix(most) {
            var row = row.reader()
            guard let account = try reading({ try Account(&row) }) else { continue }
            part.accounts.append(account)
            last = SearchPosition.Key(text: try reading { try row.next(as: String?.self) ?? "" }, id: account.id)
        }
        if results[0].count > most { part.next = SearchPosition(source: position.source, last: last) }
        if part.next == nil, isFiltered, var row = results[1].first?.reader() {
            let key: SearchPosition.Key = try reading { SearchPosition.Key(text: try row.next(), id: try row.next()) }
            part.next = SearchPosition(source: position.source, last: key)
        }
        return part
    }
}

/// Accounts that a search has found.
package struct UserPage: Sendable {
    package var accounts: [Account] = []
    /// By which the next page is asked for; `nil` on the last one.
    package var next: String?
    /// Whether the page has fewer accounts than were asked for, although more may follow: the filter left out most of those that were looked at.
    package var isUnfinished = false
}

extension UserSearches {
    private func sealed(_ position: SearchPosition, of search: UserSearch, in project: ProjectSettings) -> String {
        var json: JSON.Object = ["source": .integer(Int64(position.source))]
        if let last = position.last {
            json["text"] = .string(last.text)
            json["id"] = .string(last.id)
        }
        return Base64URL.encode(positionKeys.seal(JSON.object(json).bytes(), context: Self.context(search, in: project)))
    }

    private func position(_ text: UTF8Text, of search: UserSearch, in project: ProjectSettings) -> SearchPosition? {
        guard text.utf8.count <= 4096, let sealed = Base64URL.decodeStrict(text.asString),
            let plain = try? positionKeys.open(sealed, context: Self.context(search, in: project)),
            let json = try? JSON.parse(plain).object, let source = json["source"]?.integer.flatMap({ Int(exactly: $0) }),
            search.sources.indices.contains(source)
        else { return nil }
        var position = SearchPosition(source: source)
        if let text = json["text"]?.string, let id = json["id"]?.string {
            position.last = SearchPosition.Key(text: text.asString, id: id.asString)
        }
        return position
    }

    private static func context(_ search: UserSearch, in project: ProjectSettings) -> String {
        "\(project.storageID) \(search.filter) \(search.text)"
    }
}

extension Storage {
    /// Runs statements that only read for an operator who waits, in one round trip: none reads a whole table where an index has the rows, and none
    /// takes longer than two seconds.
    func look(all statements: [SQL]) async throws(AccountError) -> [[Row]] {
        Array(try await write(all: [Self.limitsOfLooks] + statements).dropFirst())
    }

    /// They end with the transaction.
    static let limitsOfLooks: SQL = """
        SELECT set_config('statement_timeout', '2000', true), set_config('enable_seqscan', 'off', true),
            set_config('transaction_read_only', 'on', true)
        """
}
