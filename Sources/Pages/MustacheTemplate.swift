import Mustache

extension MustacheTemplate {
    /// A template whose values come in escaped, once for all templates, so that the engine must not escape them again.
    init(plain text: String) throws { try self.init(string: "{{% CONTENT_TYPE:TEXT}}\n" + text) }
}

extension Lazy<MustacheTemplate> {
    /// A template that came with the binary. Tests make sure that all of them are mustache.
    static func embedded(_ text: String) -> Lazy {
        Lazy {
            do { return try MustacheTemplate(plain: text) } catch {
                preconditionFailure("a template in the binary is not mustache: \(text)")
            }
        }
    }
}
