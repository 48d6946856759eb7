import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// The changing parts of a page: the mistakes of the form before it, a notice, and the texts that the person has typed.
struct HostedContent {
    var faults: [FormFault] = []
    var notice: TemplateValue?
    /// The form as the person sent it; passwords and codes in it are never shown again.
    var form = Form()
    /// The authenticator app that is being enrolled; `nil` where none can be.
    var enrolment: FactorEnrollments.StartedTOTP?
    /// The question for the page's script; `nil` where the page offers no passkey.
    var passkey: PasskeyQuestion?
}

/// Renders the pages. They load nothing but, where they offer passkeys, the script for these, and work by keyboard alone.
extension HostedVisit {
    func show(_ page: HostedPage, _ content: HostedContent = HostedContent()) -> Response {
        var values = common(page, content)
        switch page {
        case .signIn: addSignIn(content, to: &values)
        case .signUp, .reset: addEmail(page, content, to: &values)
        case .signInCode, .signUpCode, .resetCode: addCode(page, to: &values)
        case .secondFactor, .phoneCode, .passkey, .recoveryCode: addSecondFactor(page, content, to: &values)
        case .enrol: values.addEnrolment(content.enrolment, for: session?.account, project)
        case .signUpDetails, .newPassword: addPassword(page, content, to: &values)
        case .profile: addProfile(content, to: &values)
        case .accounts: addAccount(to: &values)
        case .consent: addConsent(to: &values)
        }
        let status = content.faults.map(\.status).max() ?? 200
        var response = project.templates.page(
            page.template, in: language, values, status: status,
            allowing: content.passkey == nil ? .forms : [.forms, .scripts, .passkeys],
            script: content.passkey.map { _ in PageScript.passkey.link }, data: content.passkey?.json,
            moreStyle: ProviderStyle.rules(for: offer.providers), redirectsTo: redirectSchemes)
        if status == 429 { response.headers.add("retry-after", FailureResponse.patience) }
        return response
    }

    func show(_ page: HostedPage, _ fault: FormFault, _ form: Form = Form()) -> Response {
        show(page, HostedContent(faults: [fault], form: form))
    }

    /// The page for a browser that no request waits for.
    static func lost(_ templates: Templates, _ request: Request) -> Response {
        templates.page("lost", in: templates.language(for: request), status: 400)
    }

    /// The schemes of the addresses to which the answer to a form may send the browser on: a provider, the client, and wherever the client
    /// goes from there, since Chromium applies `form-action` to the whole chain of redirects.
    /// <https://www.w3.org/TR/CSP3/#form-action-pre-navigate>
    private var redirectSchemes: [String] {
        let scheme = authorization.request.redirectURI.utf8.prefix { $0 != UInt8(ascii: ":") }
        let schemes = ["https"] + (site.development ? ["http"] : [])
        let own = UTF8Text(scheme).asciiLowercased.asString
        return schemes.contains(own) ? schemes : schemes + [own]
    }

    private func common(_ page: HostedPage, _ content: HostedContent) -> [String: TemplateValue] {
        var values: [String: TemplateValue] = [
            "action": .text(path(page)), "client": .text(client.name), "heading": .word("heading"),
            "hasPasskey": .flag(content.passkey != nil),
            "hasFaults": .flag(!content.faults.isEmpty),
            "faults": .list(
                content.faults.map { fault in
                    var item: [String: TemplateValue] = ["field": .text(fault.field), "text": fault.text]
                    item["label"] = fault.label
                    return item
                }),
        ]
        values["notice"] = content.notice
        for fault in content.faults {
            if let field = fault.field { values[field + (fault.isAtField ? "Fault" : "Doubted")] = fault.isAtField ? fault.text : true }
        }
        return values
    }

    private func addSignIn(_ content: HostedContent, to values: inout [String: TemplateValue]) {
        addEmailField(content, to: &values)
        addProviders(to: &values)
        values["hasPassword"] = .flag(offer.hasPassword)
        values["hasCode"] = .flag(offer.hasCode)
        let isAddressKnown = values["focusEmail"] != .flag(true)
        values["focusPassword"] = .flag(isAddressKnown && offer.hasPassword)
        if offer.resets { values["resetLink"] = .text(path(.reset)) }
        if offer.signsUp { values["signUpLink"] = .text(path(.signUp)) }
    }

    private func addEmail(_ page: HostedPage, _ content: HostedContent, to values: inout [String: TemplateValue]) {
        addEmailField(content, to: &values)
        values["focusEmail"] = true
        if page == .signUp {
            addProviders(to: &values)
            values["hasEmail"] = .flag(offer.signsUp)
            values["isEmpty"] = .flag(!offer.signsUp && offer.providers.isEmpty)
            values["heading"] = .word("signUpHeading")
            if offer.signsUp { values["text"] = .word("signUpText") }
        } else {
            values["hasEmail"] = .flag(offer.resets)
            values["isEmpty"] = .flag(!offer.resets)
            values["heading"] = .word("resetHeading")
            values["text"] = .word("resetText")
        }
        if offer.signsIn { values["signInLink"] = .text(path(.signIn)) }
    }

    private func addEmailField(_ content: HostedContent, to values: inout [String: TemplateValue]) {
        let email = content.form["email"]?.asString ?? authorization.email ?? authorization.request.loginHint ?? session?.account.email
        values["email"] = .text(email)
        values["hasEmail"] = .flag(offer.hasEmail)
        let isWrong = content.faults.contains { $0.field == "email" }
        values["focusEmail"] = .flag((email ?? "").isEmpty || isWrong)
    }

    private func addProviders(to values: inout [String: TemplateValue]) {
        values["providers"] = .list(
            offer.providers.enumerated().map { number, button in
                let word = button.style.saysSignIn ? "providerSignIn" : "providerContinue"
                var item: [String: TemplateValue] = [
                    "id": .text(button.id), "look": .text(ProviderStyle.name(number)),
                    "label": .word(word, ["provider": .text(button.name)]),
                ]
                item["mark"] = button.style.mark.map { .mark($0) }
                return item
            })
        values["providersFirst"] = .flag(offer.providersFirst && !offer.providers.isEmpty)
        values["providersLast"] = .flag(!offer.providersFirst && !offer.providers.isEmpty)
        values["isEmpty"] = .flag(!offer.hasEmail && offer.providers.isEmpty)
    }

    private func addCode(_ page: HostedPage, to values: inout [String: TemplateValue]) {
        values["email"] = .text(authorization.email)
        // The other pages mail to any address.
        values["mayBeUnknown"] = .flag(page == .resetCode || page == .signInCode && !offer.makesAccounts)
        values["otherLink"] = .text(path(page.addressPage))
    }

    private func addPassword(_ page: HostedPage, _ content: HostedContent, to values: inout [String: TemplateValue]) {
        let isNew = page == .signUpDetails
        values["email"] = .text(authorization.email)
        values["heading"] = .word(isNew ? "signUpHeading" : "resetHeading")
        values["text"] = .word(isNew ? "signUpText" : "resetText")
        values["passwordLabel"] = .word(isNew ? "password" : "newPassword")
        values["button"] = .word(isNew ? "signUpButton" : "resetButton")
        values["step"] = isNew ? "create" : "save"
        let attributes = isNew ? flow?.collect ?? [] : []
        addAttributes(attributes, content, to: &values)
        values["focusPassword"] = .flag(attributes.isEmpty || content.faults.contains { $0.field == "password" })
        let policy = settings.passwordPolicy
        let enforced = policy.enforcement == .enforce
        values["minLength"] = .text("\(enforced ? max(policy.minLength, PasswordPolicy.shortest) : PasswordPolicy.shortest)")
        values["needsLower"] = .flag(enforced && policy.requiresLowercase)
        values["needsUpper"] = .flag(enforced && policy.requiresUppercase)
        values["needsDigit"] = .flag(enforced && policy.requiresNumeric)
        values["needsSymbol"] = .flag(enforced && policy.requiresNonAlphanumeric)
    }

    private func addProfile(_ content: HostedContent, to values: inout [String: TemplateValue]) {
        values["email"] = .text(session?.account.email ?? session?.account.displayName)
        values["text"] = .word(flow?.kind == .profileEdit ? "editText" : "newText")
        addAttributes(flow?.collect ?? [], content, to: &values)
    }

    private func addAttributes(_ attributes: [UserFlow.Attribute], _ content: HostedContent, to values: inout [String: TemplateValue]) {
        let wrong = content.faults.compactMap(\.field)
        let focused = attributes.first { wrong.contains($0.rawValue) }?.rawValue ?? (wrong.isEmpty ? attributes.first?.rawValue : nil)
        values["attributes"] = .list(
            attributes.map { attribute in
                let name = attribute.rawValue
                let typed = content.form[UTF8Text(name)]?.asString
                var item: [String: TemplateValue] = [
                    "name": .text(name), "label": .word(name), "autocomplete": .text(attribute.autocomplete),
                    "value": .text(typed ?? session.flatMap { attribute.value(of: $0.account) }), "isRequired": .flag(attribute.isRequired),
                    "isFocused": .flag(focused.map { $0 == name } ?? false),
                ]
                item["fault"] = content.faults.first { $0.field.map { $0 == name } ?? false }?.text
                return item
            })
    }

    private func addAccount(to values: inout [String: TemplateValue]) {
        let account = session?.account
        values["name"] = .text(account?.displayName ?? account?.email ?? account?.id)
        values["detail"] = .text(account?.displayName == nil ? nil : account?.email)
        values["otherLink"] = .text(path(.signIn))
    }

    private func addConsent(to values: inout [String: TemplateValue]) {
        let account = session?.account
        values["email"] = .text(account?.email ?? account?.displayName ?? account?.id)
        // Clients of Azure AD B2C ask for their own id, which says nothing to a person.
        values["scopes"] = .list(
            authorization.request.scopes.filter { !$0.isExactly(client.id) }.map { ["text": ConsentWords.word(for: $0)] })
    }
}
