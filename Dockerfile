# Two stages: the executable is compiled with Deno, the image holds it and Debian's programs.
FROM denoland/deno:debian-2.9.6 AS build
WORKDIR /src
COPY deno.json deno.lock ./
RUN deno install --frozen
COPY . .
RUN deno task compile

FROM debian:12-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      chromium chromium-sandbox tigervnc-standalone-server ffmpeg nginx-light libnginx-mod-rtmp libnginx-mod-stream supervisor websockify novnc \
      pulseaudio openbox dbus-daemon x11-xserver-utils fonts-dejavu-core fonts-noto-color-emoji fonts-noto-cjk \
      ca-certificates curl tini tzdata \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/dist/browser-stream /usr/local/bin/browser-stream
WORKDIR /app
ENV DATA_DIR=/app/data
# 3000 web (the only public door), 8888 the media server's HLS; 6080 (VNC proxy) and 1935 (ingest) stay on loopback
EXPOSE 3000 8888
VOLUME /app/data/streams
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD curl -fsS http://127.0.0.1:${PORT:-3000}/healthz
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "browser-stream"]
CMD ["up"]
