import Postgres
import ProjectSettings
import Runtime

/// One way to find accounts, which an index answers and whose order the index has. A page is read in it from a place on (`SearchPosition`).
enum SearchSource: Sendable, Equatable {
    /// The newest first.
    case everyone, disabled
    /// By their numbers.
    case phoneNumbers
    /// Those with an identity of a provider, by their subjects.
    case provider(String)
    case id(String)
    case phone(String)
    case identity(providerID: String, subject: String)
    /// An address by which a provider knows the person.
    case providerEmail(String)
    /// In lower case.
    case emailStart(String)
    case nameStart(String)
    /// In lower case, without `@`; the newest first.
    case domain(String)
    /// Needs the index of substrings (`SubstringIndex`).
    case substring(String)

    /// Whether it is in the order in which accounts were made, so that its index finds those of a time.
    var isByCreation: Bool {
        switch self {
        case .everyone, .disabled, .domain: true
        default: false
        }
    }

    var needsSubstringIndex: Bool { if case .substring = self { true } else { false } }
}

/// The place of an account in the order of a search.
struct SearchPosition: Sendable, Equatable {
    /// The number of the source.
    var source = 0
    /// The text of the column that the source is sorted by, and the account's id; `nil` for the beginning of the source.
    var last: Key?

    struct Key: Sendable, Equatable {
        let text: String
        let id: String
    }
}

extension SearchSource {
    /// The parts of a statement: its table, its order and its conditions. The table is `accounts a`, but for the identities of a provider.
    private struct Parts {
        var table: SQL = "accounts a"
        /// The column that the rows are sorted by, and the same as text.
        var key: SQL = "''::text"
        var keyText: SQL?
        var isDescending = false
        var conditions: [SQL] = []
    }

    /// The highest code point, so that no text that begins with another one stands behind both.
    private static let last = "\u{10FFFF}"

    /// The part of an address behind the `@`, as its index has it.
    private static let domainOfAddress: SQL = "split_part(a.email, '@', 2) COLLATE \"C\""

    private func parts(in project: ProjectSettings) -> Parts {
        let newestFirst = Parts(
            key: "a.created_at", keyText: "(extract(epoch FROM a.created_at) * 1000000)::bigint::text", isDescending: true)
        switch self {
        case .everyone:
            var parts = newestFirst
            // Always true. The index says it, too: no other statement does, so none reads it from its beginning for one account, which PostgreSQL
            // would do in a table that it has not analysed yet.
            parts.conditions = ["a.created_at >= '-infinity'"]
            return parts
        case .disabled:
            var parts = newestFirst
            parts.conditions = ["a.disabled"]
            return parts
        case .domain(let domain):
            var parts = newestFirst
            parts.conditions = ["a.email IS NOT NULL", "\(Self.domainOfAddress) = \(domain)"]
            return parts
        case .phoneNumbers: return Parts(key: "a.phone_number", conditions: ["a.phone_number IS NOT NULL"])
        case .provider(let id):
            return Parts(
                // The account of the row has a name of its own, for conditions on `accounts a`.
                table: "identities a CROSS JOIN LATERAL (SELECT a.account_id AS owner_id) owner", key: "a.subject",
                conditions: ["a.provider_id = \(id)"])
        case .id, .phone, .identity, .providerEmail: return Parts(conditions: [matches(in: project)])
        case .emailStart: return Parts(key: "a.email COLLATE \"C\"", conditions: [matches(in: project)])
        case .nameStart: return Parts(key: "lower(a.display_name) COLLATE \"C\"", conditions: [matches(in: project)])
        case .substring:
            // The order of ids would make PostgreSQL read all accounts in it, so it is made behind the search.
            return Parts(
                table: """
                    (SELECT * FROM accounts a WHERE a.project_id = \(project: project) AND \(matches(in: project)) OFFSET 0) a
                    """)
        }
    }

    /// A condition on `accounts a`: the account is one that the source finds. It is used by sources behind this one, too, which leave those accounts out.
    func matches(in project: ProjectSettings) -> SQL {
        switch self {
        case .everyone, .disabled, .phoneNumbers, .provider, .domain: "false"
        case .id(let id): "a.account_id = \(id)"
        case .phone(let number): "a.phone_number = \(number)"
        case .identity(let providerID, let subject):
            """
            a.account_id IN (
                SELECT account_id FROM identities WHERE project_id = \(project: project) AND provider_id = \(providerID) AND subject = \(subject)
                UNION SELECT account_id FROM identities WHERE project_id = \(project: project) AND provider_id = \(providerID) AND alias = \(subject))
            """
        case .providerEmail(let email):
            "a.account_id IN (SELECT account_id FROM identities WHERE project_id = \(project: project) AND email = \(email))"
        case .emailStart(let start):
            """
            a.email IS NOT NULL AND a.email COLLATE "C" >= \(start) AND a.email COLLATE "C" < \(start + Self.last)
            """
        case .nameStart(let start):
            """
            a.display_name IS NOT NULL AND lower(a.display_name) COLLATE "C" >= lower(\(start))
                AND lower(a.display_name) COLLATE "C" < lower(\(start)) || \(Self.last)
            """
        case .substring(let part): "\(SubstringIndex.text) LIKE \("%" + Self.escaped(part) + "%")"
        }
    }

    /// The text as a part of a pattern of `LIKE`, in lower case.
    private static func escaped(_ text: String) -> String {
        String(text.lowercased().flatMap { "\\%_".contains($0) ? ["\\", $0] : [$0] })
    }

    /// Selects the ids of accounts with their keys, from a place on, in the order of the source.
    ///
    /// - Parameters:
    ///   - others: the sources before this one, whose accounts are listed already.
    ///   - fits: a condition on `accounts a`, which only says in a third column whether the account fits.
    private func candidates(
        after key: SearchPosition.Key?, besides others: some Sequence<SearchSource>, in filter: SearchFilter, saying fits: SQL?, most: Int,
        in project: ProjectSettings
    ) -> SQL {
        let parts = parts(in: project)
        var conditions: [SQL] = ["a.project_id = \(project: project)"] + parts.conditions
        conditions += others.map { "NOT coalesce(\($0.matches(in: project)), false)" }
        if isByCreation { conditions += filter.creation }
        if let key {
            if isByCreation {
                let time = Instant(microseconds: Int64(key.text) ?? .max)
                conditions.append("(a.created_at, a.account_id) < (\(time), \(key.id))")
            } else {
                conditions.append("(\(parts.key), a.account_id) > (\(key.text), \(key.id))")
            }
        }
        let direction: SQL = parts.isDescending ? "DESC" : "ASC"
        return """
            SELECT a.account_id, \(parts.keyText ?? parts.key) AS key, \(said(fits, in: project)) AS fits FROM \(parts.table)
            WHERE \(conditions.joined(by: " AND ")) ORDER BY \(parts.key) \(direction), a.account_id \(direction) LIMIT \(Self.number(most))
            """
    }

    /// A number as part of the statement, since PostgreSQL plans a list better whose length it knows.
    private static func number(_ number: Int) -> SQL { SQL(unsafe: "\(number)") }

    private func said(_ fits: SQL?, in project: ProjectSettings) -> SQL {
        guard let fits else { return "true" }
        guard case .provider = self else { return fits }
        return """
            (SELECT \(fits) FROM accounts a WHERE a.project_id = \(project: project) AND a.account_id = owner.owner_id)
            """
    }

    /// Selects the accounts of a page, in their order, each with its key behind its columns. At most `most`, of the next `looked` of the source.
    func page(
        after key: SearchPosition.Key?, besides others: some Sequence<SearchSource>, in filter: SearchFilter, most: Int, looked: Int,
        in project: ProjectSettings
    ) -> SQL {
        let fits = filter.rest(behind: self, in: project)
        let candidates = candidates(
            after: key, besides: others, in: filter, saying: fits, most: fits == nil ? most : looked, in: project)
        return """
            WITH found AS MATERIALIZED (
                SELECT row_number() OVER () AS place, account_id, key
                FROM (SELECT account_id, key FROM (\(candidates)) looked WHERE fits LIMIT \(Self.number(most))) fitting
            )
            SELECT \(Account.columns(in: project)), found.key FROM found
            JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = found.account_id ORDER BY found.place
            """
    }

    /// Selects the key and the id of the last account that `page` looked at; no row where these are all that there are.
    func lastLooked(
        after key: SearchPosition.Key?, besides others: some Sequence<SearchSource>, in filter: SearchFilter, looked: Int,
        in project: ProjectSettings
    ) -> SQL {
        let candidates = candidates(after: key, besides: others, in: filter, saying: nil, most: looked, in: project)
        return "SELECT key, account_id FROM (\(candidates)) looked OFFSET \(Self.number(looked - 1))"
    }
}
