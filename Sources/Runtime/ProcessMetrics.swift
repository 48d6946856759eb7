import Glibc

/// The metrics that Prometheus expects of every process, under the names that its own client libraries use.
/// <https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics>
package enum ProcessMetrics {
    package static func register(in metrics: Metrics) {
        metrics.decimalCounter("process_cpu_seconds_total", "User and system CPU time spent.") {
            // In microseconds on every POSIX system.
            Double(clock() / 1000) / 1000
        }
        let start = startTime()
        metrics.decimalGauge("process_start_time_seconds", "When the process started, in seconds since 1970.") { start }
        metrics.gauge("process_resident_memory_bytes", "Memory in use.") { pages(1) }
        metrics.gauge("process_virtual_memory_bytes", "Address space in use.") { pages(0) }
        metrics.gauge("process_open_fds", "Open file descriptors.") { openDescriptors() }
        metrics.gauge("process_max_fds", "How many file descriptors may be open.") { SystemLimits.descriptors }
        metrics.gauge("process_threads", "Threads.") { Int(field(of: "/proc/self/stat", 17) ?? 0) }
    }

    /// A field of `/proc/self/statm`, in bytes.
    private static func pages(_ index: Int) -> Int {
        let words = text(of: "/proc/self/statm").split(separator: " ")
        return words.indices.contains(index) ? (Int(words[index]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// In seconds since 1970: the start of the machine plus the ticks from then to the start of the process.
    private static func startTime() -> Double {
        let boot = text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }?.split(separator: " ").last
        guard let boot, let boot = Double(boot), let ticks = field(of: "/proc/self/stat", 19) else { return 0 }
        return boot + Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// A field of `stat` by its position behind the program's name, which may contain spaces; the state is number 0.
    /// <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
    private static func field(of file: String, _ index: Int) -> UInt64? {
        let text = text(of: file)
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = text[text.utf8.index(after: end)...].split(separator: " ")
        return words.indices.contains(index) ? UInt64(words[index]) : nil
    }

    private static func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the folder's own descriptor.
        return max(0, count - 3)
    }

    private static func text(of file: String) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}

/// The limits that the system sets for the process.
package enum SystemLimits {
    /// How many file descriptors may be open.
    package static var descriptors: Int { Int(clamping: read().rlim_cur) }

    /// The number to which the process may raise that limit by itself.
    package static var mostDescriptors: Int { Int(clamping: read().rlim_max) }

    /// Raises that limit as far as the process may by itself.
    package static func raiseDescriptors() {
        var limit = read()
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func read() -> rlimit {
        var limit = rlimit()
        // This call only fails for an unknown resource.
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
