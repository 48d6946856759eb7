/// An error that is told on the pages of the project it happened in: in its name, its colour, and the language that its app asked for.
struct PageError: Error {
    let error: any Error
    let templates: Templates
    let language: String?
    /// Where the person may go on: the app's own page.
    let link: String?

    /// The error itself, and the pages to tell it on when there are any.
    static func unwrap(_ error: any Error) -> (error: any Error, page: PageError?) {
        guard let page = error as? PageError else { return (error, nil) }
        return (page.error, page)
    }
}

extension Project? {
    /// Does `work`, and has whatever it throws told on this project's pages; without a project on those of nobody.
    ///
    /// - Parameters:
    ///   - language: what the app asked for.
    ///   - link: the app's own page, where it is known and authorized.
    package func telling<T>(in language: String? = nil, backTo link: String? = nil, _ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch {
            guard let self, !(error is PageError) else { throw error }
            throw PageError(error: error, templates: self.templates, language: language, link: link)
        }
    }
}
