# Two stages: Deno compiles the executable, and the image holds it and Debian's programs. Each ARG, and what takes how
# much room: docs/docker.md.
ARG BUILD_IMAGE=debian:12-slim
ARG BASE_IMAGE=debian:12-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates nodejs npm
ARG DENO_VERSION=2.9.6
RUN npm install --global --no-fund --no-audit deno@${DENO_VERSION}
WORKDIR /src
COPY deno.json deno.lock ./
RUN deno task setup
COPY . .
ARG REVISION=
RUN deno task build
# the runtime that goes into the executable, where it cannot be downloaded: its path in BUILD_IMAGE, and its version
ARG DENORT_BIN=
ARG DENORT_VERSION=${DENO_VERSION}
RUN if [ -n "${DENORT_BIN}" ]; then export DENORT_BIN; else unset DENORT_BIN; fi \
 && npm install --global --no-fund --no-audit deno@${DENORT_VERSION} \
 && deno run -A --no-config --no-lock scripts/compile.ts /browser-stream

FROM ${BASE_IMAGE}
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      chromium tigervnc-standalone-server ffmpeg nginx-light libnginx-mod-rtmp libnginx-mod-stream nftables supervisor websockify novnc \
      pulseaudio openbox dbus-daemon x11-xserver-utils fonts-liberation fonts-crosextra-carlito fonts-crosextra-caladea \
      fonts-noto-core fonts-dejavu-core fonts-noto-color-emoji fonts-noto-cjk \
      curl tini tzdata \
 && find /var/lib/apt/lists /var/cache /var/log -type f -delete
COPY --from=build /browser-stream /usr/local/bin/browser-stream
WORKDIR /app
ENV DATA_DIR=/app/data
# 3000 the web app, 8888 the media server's HLS; 6080 (VNC proxy) and 1935 (ingest) stay on the container's loopback
EXPOSE 3000 8888
VOLUME /app/data/streams
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD curl -fsS --noproxy '*' http://127.0.0.1:${PORT:-3000}/healthz
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "browser-stream"]
CMD ["up"]
# the last, since they change with each build
ARG BASE_IMAGE
ARG VERSION=1.0.0
ARG REVISION=
LABEL org.opencontainers.image.title="Browser Stream" \
      org.opencontainers.image.description="Turns web pages into live TV channels (HLS)" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE_IMAGE}"
