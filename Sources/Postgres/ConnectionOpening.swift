import Runtime

extension Connection {
    /// Starts to connect; the database hears `opened` or `lost`.
    func open(_ target: ConnectionString) {
        deadline = loop.schedule(after: settings.connectTimeout) { [weak self] in
            self?.assumeIsolated { connection in
                connection.lose("no connection within \(connection.settings.connectTimeout)")
            }
        }
        let target = settings.keywords(target, isReadOnly: kind == .read)
        Resolver.resolve(target) { [self] target, reason in
            loop.execute { self.assumeIsolated { $0.start(target, reason) } }
        }
    }

    private func start(_ target: ConnectionString, _ reason: String?) {
        guard state == .opening else { return }
        if let reason { return lose(reason) }
        do throws(Wire.Broken) {
            wire = try Wire(target.keywords)
        } catch {
            return lose(error.reason)
        }
        // libpq asks to be polled first when the socket takes bytes.
        watchWhileOpening(.write)
    }

    func continueOpening() {
        // libpq may close its socket within the poll, and another may get the same number.
        unwatch()
        do throws(Wire.Broken) {
            switch try wire?.poll() {
            case .waitToRead: watchWhileOpening(.read)
            case .waitToWrite: watchWhileOpening(.write)
            case .connected: try becomeReady()
            case nil: break
            }
        } catch {
            lose(error.reason)
        }
    }

    private func becomeReady() throws(Wire.Broken) {
        try wire?.enterPipeline()
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        state = .ready
        watchWhileOpening(.read)
        guard state == .ready else { return }
        if let database { database.assumeIsolated { $0.opened(self) } } else { close() }
    }

    private func watchWhileOpening(_ interest: Interest) {
        let descriptor = wire?.socket ?? -1
        // Without a socket the next poll says what is wrong.
        guard descriptor >= 0 else { return continueOpening() }
        do throws(SystemError) {
            try loop.watch(descriptor, for: [interest, .readClosed], self)
            socket = descriptor
        } catch {
            lose(error.description)
        }
    }
}
