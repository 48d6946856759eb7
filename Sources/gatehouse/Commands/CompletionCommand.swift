import ArgumentParser

/// `gatehouse completion`: lets a shell complete commands, options and their values.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the script by which a shell completes commands and options.",
        discussion: """
            bash: gatehouse completion bash > /etc/bash_completion.d/gatehouse
            zsh:  gatehouse completion zsh > /usr/local/share/zsh/site-functions/_gatehouse
            fish: gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        fileprivate var script: String {
            switch self {
            case .bash: Gatehouse.completionScript(for: .bash)
            case .zsh: Gatehouse.completionScript(for: .zsh)
            case .fish: Gatehouse.completionScript(for: .fish)
            }
        }
    }

    /// As every command takes it. The script asks for the projects of a file when it is used.
    @OptionGroup var common: CommonOptions

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws { print(shell.script) }
}
