import Postgres
import ProjectSettings
import TestKit
import Text

@testable import Accounts

extension Fixture {
    /// Stores many people: `uid-7` is `user7@d7.example` or another of ten domains, and `Person 7`. Every tenth has an identity of `oidc.acme`, every
    /// twentieth a phone number, every hundredth is disabled.
    func populate(_ count: Int) async throws {
        _ = try await database.write(
            """
            INSERT INTO accounts (project_id, account_id, email, display_name, phone_number, disabled, valid_since, created_at)
            SELECT 'demo', 'uid-' || n, 'user' || n || '@d' || n % 10 || '.example', 'Person ' || n,
                CASE WHEN n % 20 = 0 THEN '+1202' || 5000000 + n END, n % 100 = 0, date_trunc('second', now()),
                timestamptz '2026-01-01' + n * interval '1 minute'
            FROM generate_series(1, \(Int64(count))) n
            """)
        _ = try await database.write(
            """
            INSERT INTO identities (project_id, provider_id, subject, account_id, email, alias, linked_at, last_sign_in_at)
            SELECT 'demo', 'oidc.acme', 'subject-' || n, 'uid-' || n, 'work' || n || '@acme.example', 'alias-' || n, now(), now()
            FROM generate_series(10, \(Int64(count)), 10) n
            """)
        for table in ["accounts", "identities"] { _ = try await database.write(SQL(unsafe: "ANALYZE \(table)")) }
    }

    /// The ids of one page.
    func found(_ typed: String, _ filter: SearchFilter = SearchFilter(), most: Int = 50) async throws -> [String] {
        let outcome = try await accounts.administration.searches.page(try UserSearch(typed, filter), most: most, by: self.operator)
        guard case .page(let page) = outcome else { return ["\(outcome)"] }
        return page.accounts.map(\.id)
    }

    /// The ids of all pages, and the number of these.
    func allFound(
        _ typed: String, _ filter: SearchFilter = SearchFilter(), most: Int = 50
    ) async throws -> (ids: [String], pages: Int) {
        let search = try UserSearch(typed, filter)
        var (ids, pages, place): ([String], Int, String?) = ([], 0, nil)
        repeat {
            let outcome = try await accounts.administration.searches.page(
                search, from: place.map { UTF8Text($0) }, most: most, by: self.operator)
            guard case .page(let page) = outcome else { return (ids + ["\(outcome)"], pages) }
            ids += page.accounts.map(\.id)
            place = page.next
            pages += 1
        } while place != nil && pages < 1000
        return (ids, pages)
    }
}
