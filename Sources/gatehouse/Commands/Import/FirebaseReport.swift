import Migration
import ProjectSettings
import Projects
import Text

/// The words in which an import tells what a Firebase project has beside its accounts, and this project lacks.
struct FirebaseReport {
    let survey: FirebaseSurvey
    let project: Project

    func printBefore() {
        if !survey.refusals.isEmpty {
            Report.say("Google does not tell, for which the service account needs the role Firebase Authentication Admin:")
            for refusal in survey.refusals { Report.say("  - \(refusal)") }
        }
        printTenants()
        printDomains()
        printMethods()
    }

    /// Says that Google counts other accounts than it gives.
    func printDifference(from read: Int) {
        guard let count = survey.count, count != read else { return }
        Report.say(
            "Google counts \(count) accounts, and gave \(read). Its count is known to be wrong after imports that replaced accounts.")
    }

    private func printTenants() {
        guard !survey.tenants.isEmpty else { return }
        Report.say("The accounts of tenants are not imported with those of the project; import each with --tenant into PROJECT/TENANT:")
        for tenant in survey.tenants {
            let key = tenant.hasOwnKey ? ", whose password hashes have a key of their own" : ""
            Report.say("  \(tenant.count.map(String.init) ?? "unknown number") × tenant \(tenant.id)\(key)")
        }
    }

    private func printDomains() {
        let ours = project.settings.authorizedDomains
        let missing = survey.authorizedDomains.filter { domain in
            !ours.contains { own in
                let host = AuthorizedDomain.host(of: own)
                return own.isExactly(domain) || !own.isExactly(host) && domain.hasSuffix(".\(host)")
            }
        }
        guard !missing.isEmpty else { return }
        Report.say("The project's file lacks these authorizedDomains of the Firebase project:")
        for domain in missing { Report.say("  - \(domain)") }
    }

    private func printMethods() {
        guard let theirs = survey.methods else { return }
        let ours = project.settings.signIn
        let missing = [
            ("password", theirs.password && !ours.password), ("emailLink", theirs.emailLink && !ours.emailLink),
            ("anonymous", theirs.anonymous && !ours.anonymous),
        ].filter(\.1).map { "\($0.0): true" }
        if !missing.isEmpty {
            Report.say(
                "The project's file lacks these ways to sign in of the Firebase project:\nsignIn: {\(missing.joined(separator: ", "))}")
        }
        if theirs.phone { Report.say("The Firebase project has sign-in by phone number, which this server does not have.") }
    }
}
