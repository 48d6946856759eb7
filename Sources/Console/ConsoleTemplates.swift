/// The files of `Sources/Console/Templates`, which the build puts into the binary. A test compares this list with the folder.
enum ConsoleTemplates {
    static let files: [String: [UInt8]] = [
        "addPasskey.html": PackageResources.addPasskey_html,
        "audit.html": PackageResources.audit_html,
        "configuration.html": PackageResources.configuration_html,
        "confirm.html": PackageResources.confirm_html,
        "hooks.html": PackageResources.hooks_html,
        "keys.html": PackageResources.keys_html,
        "layout.html": PackageResources.layout_html,
        "limits.html": PackageResources.limits_html,
        "mail.html": PackageResources.mail_html,
        "open.html": PackageResources.open_html,
        "overview.html": PackageResources.overview_html,
        "passkeys.html": PackageResources.passkeys_html,
        "providerCheck.html": PackageResources.providerCheck_html,
        "providers.html": PackageResources.providers_html,
        "refused.html": PackageResources.refused_html,
        "serviceAccounts.html": PackageResources.serviceAccounts_html,
        "signIn.html": PackageResources.signIn_html,
        "signedIn.html": PackageResources.signedIn_html,
        "style.css": PackageResources.style_css,
        "user.html": PackageResources.user_html,
        "users.html": PackageResources.users_html,
        "words.de.yaml": PackageResources.words_de_yaml,
        "words.en.yaml": PackageResources.words_en_yaml,
    ]
}
