# Builds the server and puts it, with the example configuration, on a small Debian. See docs/install.md.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends pkg-config libpq-dev libcurl4-openssl-dev libssl-dev libyaml-dev \
        libargon2-dev libcrypt-dev libqrencode-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# First only the dependencies, since they change less often than the code.
COPY Package.* ./
RUN swift package resolve
COPY Sources Sources
# They are compiled in; Sources/Accounts has a link to them.
COPY Migrations Migrations
# The manifest names the test targets, so their folders must be there; the tests are not built.
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product gatehouse \
    && install -D -m 755 "$(swift build -c release --static-swift-stdlib --show-bin-path)/gatehouse" /out/gatehouse \
    && strip --strip-debug /out/gatehouse

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Gatehouse" \
    org.opencontainers.image.description="A self-hosted identity broker that speaks the Firebase Authentication protocol" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libcurl4 libpq5 libqrencode4 libssl3 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gatehouse
COPY --from=build /out/gatehouse /usr/local/bin/gatehouse
COPY config /srv/gatehouse/config
# Inside a container the loopback address reaches only the container itself.
RUN cd /srv/gatehouse/config && sed -i 's/^listen: .*/listen: 0.0.0.0:8080\noperations: {listen: "0.0.0.0:9090"}/' gatehouse.yaml && grep -q '^listen: 0.0.0.0:8080$' gatehouse.yaml
WORKDIR /srv/gatehouse
# As in packaging/gatehouse.service, where it is explained.
ENV GLIBC_TUNABLES=glibc.malloc.tcache_count=64
USER 10001:10001
# The API; and metrics, health and reload, which must stay in your own network.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# The process must be running. This asks nothing of the database, so that an outage of the database restarts no container; ask
# /health/ready to decide about traffic. bash opens the connection itself, so that the image needs no HTTP client. HEALTH_PORT is the port
# of `operations.listen`, or of `listen` where `operations` is not configured. Only images in Docker's format keep this line (buildah,
# podman: --format docker).
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${HEALTH_PORT:-9090} && printf 'GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["gatehouse"]
CMD ["serve", "--config", "/srv/gatehouse/config/gatehouse.yaml"]
