import Runtime

extension DatabaseConnection {
    /// Starts to connect; then the database's `opened` or `lost` is called.
    ///
    /// - Parameter turn: which of several hosts comes first. libpq tries the next host only when one refuses. A host that never answers
    ///   uses up all the time, so the next attempt must begin with the host behind it.
    func open(_ target: ConnectionString, turn: Int) {
        self.turn = turn
        deadline = loop.schedule(after: settings.connectTimeout) { [weak self] in
            self?.assumeIsolated { connection in
                connection.ranOutOfTime = true
                connection.lose("no connection within \(connection.settings.connectTimeout)")
            }
        }
        let target = settings.keywords(target, for: kind)
        Resolver.resolve(target) { [self] target, reason in
            loop.execute { self.assumeIsolated { $0.start(target, reason) } }
        }
    }

    private func start(_ target: ConnectionString, _ reason: String?) {
        guard state == .opening else { return }
        if let reason { return lose(reason) }
        do throws(Wire.Broken) {
            wire = try Wire(target.rotated(by: turn).keywords)
        } catch {
            return lose(error.reason)
        }
        // libpq's rule: poll for the first time when the socket can be written.
        watchWhileOpening(.write)
    }

    func continueOpening() {
        // libpq may close its socket within the poll, and another socket may get the same number.
        unwatch()
        do throws(Wire.Broken) {
            switch try wire?.poll() {
            case .waitToRead: watchWhileOpening(.read)
            case .waitToWrite: watchWhileOpening(.write)
            case .connected: try setGuards()
            case nil: break
            }
        } catch {
            lose(error.reason)
        }
    }

    /// Sends the first statement of the session; nothing else is sent before it is answered.
    private func setGuards() throws(Wire.Broken) {
        try wire?.enterPipeline()
        server = wire?.server ?? ""
        state = .guarding
        watchWhileOpening(.read)
        guard state == .guarding else { return }
        let ticket = waiters.insert(.guards)
        pipeline.write(Pipeline.Write(ticket: ticket, statements: [settings.guards(of: kind)], mayRepeat: false))
        pump()
    }

    func becomeReady() {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        state = .ready
        if let database { database.assumeIsolated { $0.opened(self) } } else { close() }
    }

    /// The reason why the first statement of a session failed.
    static func explain(_ error: PostgresError) -> String {
        guard case .sql("42P05", _) = error else { return "\(error)" }
        return "a new session already has prepared statements of another one: \(Database.needsSessions)"
    }

    private func watchWhileOpening(_ interest: Interest) {
        let descriptor = wire?.socket ?? -1
        // Without a socket, the next poll returns the error.
        guard descriptor >= 0 else { return continueOpening() }
        do throws(SystemError) {
            try loop.watch(descriptor, for: [interest, .readClosed], self)
            socket = descriptor
        } catch {
            lose(error.description)
        }
    }
}
