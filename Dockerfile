# Two stages: Deno compiles the executable; the image holds it and Debian's programs. What an ARG is for, and what each
# part of the image takes: docs/docker.md.
ARG BUILD_IMAGE=debian:12-slim
ARG BASE_IMAGE=debian:12-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates nodejs npm
# In a container that is thrown away, npm 9 of Debian may end with "Exit handler never called!" once
ARG DENO_VERSION=2.9.6
RUN npm install --global --no-fund --no-audit deno@${DENO_VERSION} && deno --version
WORKDIR /src
COPY deno.json deno.lock ./
RUN deno task setup
COPY . .
RUN deno task build
# `deno compile` downloads its runtime. Where it cannot, DENORT_BIN names one in BUILD_IMAGE, of the version DENORT_VERSION
ARG DENORT_BIN=
ARG DENORT_VERSION=${DENO_VERSION}
RUN if [ "${DENORT_VERSION}" != "${DENO_VERSION}" ]; then npm install --global --no-fund --no-audit deno@${DENORT_VERSION}; fi \
 && if [ -n "${DENORT_BIN}" ]; then export DENORT_BIN; else unset DENORT_BIN; fi \
 && deno run -A --no-config --no-lock scripts/compile.ts /browser-stream

FROM ${BASE_IMAGE}
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      chromium tigervnc-standalone-server ffmpeg nginx-light libnginx-mod-rtmp libnginx-mod-stream supervisor websockify novnc \
      pulseaudio openbox x11-xserver-utils fonts-dejavu-core fonts-noto-color-emoji fonts-noto-cjk \
      curl tini tzdata \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /browser-stream /usr/local/bin/browser-stream
WORKDIR /app
ENV DATA_DIR=/app/data
# 3000 web (the only public door), 8888 the media server's HLS; 6080 (VNC proxy) and 1935 (ingest) stay on loopback
EXPOSE 3000 8888
VOLUME /app/data/streams
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD curl -fsS http://127.0.0.1:${PORT:-3000}/healthz
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "browser-stream"]
CMD ["up"]
