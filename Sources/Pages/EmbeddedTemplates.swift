/// The files of `Sources/Pages/Templates`, which the build puts into the binary. A test compares this list with the folder.
enum EmbeddedTemplates {
    static let files: [String: [UInt8]] = [
        "mail.html": PackageResources.mail_html,
        "mail.txt": PackageResources.mail_txt,
        "page.css": PackageResources.page_css,
        "page.html": PackageResources.page_html,
        "page.action.html": PackageResources.page_action_html,
        "page.app.html": PackageResources.page_app_html,
        "page.development.html": PackageResources.page_development_html,
        "page.handler.html": PackageResources.page_handler_html,
        "page.refused.html": PackageResources.page_refused_html,
        "words.de.yaml": PackageResources.words_de_yaml,
        "words.en.yaml": PackageResources.words_en_yaml,
    ]
}
