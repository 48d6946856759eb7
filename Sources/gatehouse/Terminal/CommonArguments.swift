import ArgumentParser

extension Argument where Value == String {
    /// An argument that several commands take, with the same help and completion.
    enum Common {
        case project, account, source
    }

    init(_ common: Common) {
        switch common {
        case .project: self.init(help: "The project's id.", completion: .projects)
        case .account: self.init(help: "The account's id, the localId of the API.")
        case .source: self.init(help: "The file of the other system.", completion: .file())
        }
    }
}
