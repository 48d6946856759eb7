import Text
import Web

/// The part of a list that a call asks for.
struct PageRequest: Decodable, Sendable {
    var pageSize: Int?
    /// The id of the last entry of the page before.
    var pageToken: UTF8Text?

    /// The size of a page for a call that does not name one.
    private static let usual = 20
    private static let most = 100

    /// The next entries in the order of their ids, and the token of the page behind them, if there is one.
    func page<Entry>(of entries: [(id: String, entry: Entry)]) throws(Failure) -> (entries: [Entry], next: String?) {
        let size = pageSize ?? 0
        guard size >= 0 else { throw .invalidArgument("pageSize must not be negative.") }
        let last = pageToken ?? ""
        let rest = entries.filter { last < UTF8Text($0.id) }.sorted { UTF8Text($0.id) < UTF8Text($1.id) }
        let page = rest.prefix(size == 0 ? Self.usual : min(size, Self.most))
        return (page.map(\.entry), page.count < rest.count ? page.last?.id : nil)
    }
}
