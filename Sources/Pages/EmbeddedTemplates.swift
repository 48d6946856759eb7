/// The files of `Sources/Pages/Templates`, which the build puts into the binary. A test compares this list with the folder.
enum EmbeddedTemplates {
    static let files: [String: [UInt8]] = [
        "form.html": PackageResources.form_html,
        "mail.html": PackageResources.mail_html,
        "mail.txt": PackageResources.mail_txt,
        "page.css": PackageResources.page_css,
        "page.html": PackageResources.page_html,
        "page.account.html": PackageResources.page_account_html,
        "page.accounts.html": PackageResources.page_accounts_html,
        "page.action.html": PackageResources.page_action_html,
        "page.app.html": PackageResources.page_app_html,
        "page.code.html": PackageResources.page_code_html,
        "page.codes.html": PackageResources.page_codes_html,
        "page.consent.html": PackageResources.page_consent_html,
        "page.development.html": PackageResources.page_development_html,
        "page.email.html": PackageResources.page_email_html,
        "page.emulator.html": PackageResources.page_emulator_html,
        "page.enrol.html": PackageResources.page_enrol_html,
        "page.factor.html": PackageResources.page_factor_html,
        "page.formpost.html": PackageResources.page_formpost_html,
        "page.handler.html": PackageResources.page_handler_html,
        "page.logout.html": PackageResources.page_logout_html,
        "page.lost.html": PackageResources.page_lost_html,
        "page.passkey.html": PackageResources.page_passkey_html,
        "page.password.html": PackageResources.page_password_html,
        "page.profile.html": PackageResources.page_profile_html,
        "page.refused.html": PackageResources.page_refused_html,
        "page.signIn.html": PackageResources.page_signIn_html,
        "page.signedOut.html": PackageResources.page_signedOut_html,
        "page.verify.html": PackageResources.page_verify_html,
        "words.de.yaml": PackageResources.words_de_yaml,
        "words.en.yaml": PackageResources.words_en_yaml,
    ]

    /// The file's text; empty when there is no such file.
    static func text(of name: String) -> String { files[name].map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
