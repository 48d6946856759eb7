import JSON
import Text

extension JSON.Object {
    /// The first of these members that is a text and not empty.
    func text(_ names: UTF8Text...) -> UTF8Text? { names.lazy.compactMap { self[$0]?.string }.first { !$0.isEmpty } }

    /// The member that is an id: some systems write those of some providers as numbers.
    func id(_ name: UTF8Text) -> UTF8Text? {
        guard let number = self[name]?.integer else { return text(name) }
        return UTF8Text(String(number))
    }

    /// The text of a member that is an object with members, as an account has its claims.
    func claims(_ name: UTF8Text) -> String? {
        guard let object = self[name]?.object, !object.isEmpty else { return nil }
        return JSON.object(object).text()
    }
}
