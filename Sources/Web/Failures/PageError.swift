import Pages
import Projects

/// An error that is shown on the pages of the project it happened in: with its name, its colour, and the language that its app asked for.
struct PageError: Error {
    let error: any Error
    let templates: Templates
    let language: String?
    /// The app's own page, where the person can go on.
    let link: String?
    let occasion: PageOccasion

    /// The error itself, and the project's pages to show it on, if any.
    static func unwrap(_ error: any Error) -> (error: any Error, page: PageError?) {
        guard let page = error as? PageError else { return (error, nil) }
        return (page.error, page)
    }
}

/// The purpose for which a person came to a page: the page of an error names it.
package enum PageOccasion: Sendable {
    case signIn, signOut
}

extension Project? {
    /// Runs `work`. An error of it is shown on pages with this project's branding, or on the default pages when there is no project.
    ///
    /// - Parameters:
    ///   - language: the language that the app asked for.
    ///   - link: the app's own page, where it is known and authorized.
    ///   - occasion: what the person came for.
    package func showingErrors<T>(
        in language: String? = nil, backTo link: String? = nil, at occasion: PageOccasion = .signIn, _ work: () async throws -> T
    ) async throws -> T {
        do {
            return try await work()
        } catch {
            guard let self, !(error is PageError) else { throw error }
            throw PageError(error: error, templates: self.templates, language: language, link: link, occasion: occasion)
        }
    }
}
