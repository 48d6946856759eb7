import ArgumentParser
import Glibc
import JSON
import Runtime
import Server

/// `gatehouse doctor`: examines the whole installation, and says of each thing that is wrong what to do.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine configuration, database, keys, providers, mail, the proxy and the running server; say what to do.",
        discussion: """
            It reads and asks, and changes nothing. Ends with 0 when all is well, with 1 when there are warnings, and with 2 when there \
            are faults.
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: "A PEM file of authorities to trust at publicURL, instead of the system's.", completion: .file())
    var authorities: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        if let authorities, access(authorities, R_OK) != 0 {
            throw Failed("the file \(authorities) of --authorities cannot be read: \(SystemError("open"))")
        }
        var parts: [Checkup.Part] = []
        do {
            let checkup = try Checkup(try common.configuration(), path: common.config, authorities: authorities)
            try await checkup.run { part in
                parts.append(part)
                if !json { Terminal.write(part.text) }
            }
        } catch let error as Configuration.Faulty {
            parts = [
                Checkup.Part(
                    "configuration", error.faults.map { .fault("configuration.fault", $0, "mend the file at this place, as it says") })
            ]
            if !json { Terminal.write(parts[0].text) }
        }
        let findings = parts.flatMap(\.findings)
        if json { Terminal.write(Self.json(parts)) } else { Terminal.write(Self.summary(findings) + "\n") }
        if findings.contains(where: { $0.grade == .fault }) { throw ExitCode(2) }
        if !findings.isEmpty { throw ExitCode(1) }
    }

    private static func summary(_ findings: [Finding]) -> String {
        let faults = findings.count(where: { $0.grade == .fault })
        let warnings = findings.count - faults
        guard !findings.isEmpty else { return "All is well." }
        return "\(faults) \(faults == 1 ? "fault" : "faults"), \(warnings) \(warnings == 1 ? "warning" : "warnings")."
    }

    private static func json(_ parts: [Checkup.Part]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("parts") { writer in
                for part in parts {
                    writer.object { writer in
                        writer.field("part", part.name)
                        writer.array("findings") { writer in
                            for finding in part.findings {
                                writer.object { writer in
                                    writer.field("grade", finding.grade.rawValue)
                                    writer.field("code", finding.code)
                                    writer.field("text", finding.text)
                                    writer.field("remedy", finding.remedy)
                                }
                            }
                        }
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}

extension Checkup.Part {
    /// A line for the part when all is well, and otherwise two for each finding: what is wrong, and what to do.
    fileprivate var text: String {
        guard !findings.isEmpty else { return "ok       \(name)\n" }
        return findings.map { finding in
            let grade = finding.grade == .fault ? "fault    " : "warning  "
            return "\(grade)\(CommandSupport.visible("\(name): \(finding.text)"))\n         -> \(CommandSupport.visible(finding.remedy))\n"
        }.joined()
    }
}
