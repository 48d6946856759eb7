import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// The content of one page of the console. `ConsoleVisit.page` puts the frame around it.
struct ConsoleView: Sendable {
    /// The name of its template, and of its group of words.
    let template: String
    var values: [String: TemplateValue]
    /// A group of words that goes before those of the template.
    var words: String?
    /// The pages above this one, outermost first.
    var path: [Crumb] = []
    var status = 200
    /// Seconds until the page loads itself again; `nil` for never.
    var refresh: Int?
    /// Whether it has the one script of the console.
    var asksForPasskeys = false
    /// Whether it has a frame with a part of the console in it.
    var framesOwn = false

    /// A link to a page above.
    struct Crumb: Sendable {
        let name: TemplateValue
        let link: String
    }

    init(
        _ template: String, _ values: [String: TemplateValue] = [:], words: String? = nil, path: [Crumb] = [], status: Int = 200,
        refresh: Int? = nil, framesOwn: Bool = false
    ) {
        self.template = template
        self.values = values
        self.words = words
        self.path = path
        self.status = status
        self.refresh = refresh
        self.framesOwn = framesOwn
    }
}

extension ConsoleVisit {
    /// The page with its frame: navigation, the project, the operator, and what was done last.
    func page(_ view: ConsoleView, at place: ConsolePlace) -> Response {
        var values: [String: TemplateValue] = [
            "home": .text(link("/")), "operator": .text(person.name), "role": .word(person.role.rawValue),
            "places": .list(entries(ConsolePlace.ofServer, of: nil, at: place)),
            "signOutLink": .text(console.isOpen ? "" : link(Console.signOutPath)),
            "signOutToken": .text(session.formToken(for: link(Console.signOutPath))),
            "passkeysLink": .text(link(PasskeysPage.path)), "isAtPasskeys": .flag(place == .passkeys),
            "isBreakGlass": .flag(session.isBreakGlass && !console.isOpen),
            "emulator": .text(console.isOpen ? link("/codes", realm.map { ["project": UTF8Text($0.settings.id)] } ?? [:]) : ""),
            "refresh": .text(view.refresh.map { "\($0)" }),
            "hasPath": .flag(!view.path.isEmpty),
            "path": .list(view.path.map { ["crumb": $0.name, "crumbLink": .text($0.link)] }),
        ]
        if let realm {
            values["realm"] = .text(realm.settings.addressName)
            values["projectPlaces"] = .list(entries(ConsolePlace.ofProject, of: realm.settings, at: place))
        }
        if let note = query["note"], let word = Self.word(ofNote: note), console.pages.has(word, for: view.words ?? view.template) {
            values["notice"] = .word(word)
        }
        values.merge(view.values) { _, own in own }
        return console.pages.page(
            view.template, words: view.words, in: language, values, status: view.status,
            script: view.asksForPasskeys ? Console.passkeyScript : nil, allowing: view.framesOwn ? [.forms, .ownFrames] : .forms)
    }

    private func entries(
        _ places: [ConsolePlace], of project: ProjectSettings?, at here: ConsolePlace
    ) -> [[String: TemplateValue]] {
        places.filter {
            console.hasPage(at: $0, ofProject: project != nil) && (project != nil || $0 == .overview || person.projects == nil)
        }.map { place in
            [
                "place": .word("place\(place.rawValue.capitalizedFirst)"), "placeLink": .text(link(place.path(of: project))),
                "isHere": .flag(place == here && (realm != nil) == (project != nil)),
            ]
        }
    }

    /// The word for `?note=` of an address: `noteDone` for `done`. Any site can link here, so a note is one of the words of the page.
    private static func word(ofNote note: UTF8Text) -> String? {
        let letters = note.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        guard letters, (1...40).contains(note.utf8.count), let first = note.utf8.first else { return nil }
        // The capital of an ASCII letter.
        return String(decoding: Array("note".utf8) + [first & 0xDF] + note.utf8.dropFirst(), as: UTF8.self)
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
