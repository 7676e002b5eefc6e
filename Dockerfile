# sitewarden in one image: the service, workers (`work`) and the command line (`check`). docs/containers.md tells how to use it.
#   docker build --tag sitewarden .

# Java with the modules that the HTML validator may load, a quarter of the size of Debian's package.
FROM debian:trixie-slim AS java
RUN apt-get update \
  && apt-get install --yes --no-install-recommends binutils openjdk-21-jdk-headless \
  && jlink --add-modules java.se,jdk.charsets,jdk.unsupported --strip-debug --no-header-files --no-man-pages --compress zip-6 \
    --output /java \
  && /java/bin/java -Xshare:dump

# The npm package with its dependencies, and without what only its installation needs.
FROM node:24-trixie-slim AS package
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1
WORKDIR /source
COPY . .
RUN npm run --silent package -- /sitewarden
WORKDIR /sitewarden
# With the lock file, all dependencies have its versions. It is not part of the package.
RUN cp /source/package-lock.json . \
  && npm install --omit=dev --no-audit --no-fund \
  && rm package-lock.json \
  && node scripts/run.mjs --version \
  && rm -rf node_modules/node-linux-*/include

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="sitewarden" \
  org.opencontainers.image.description="Validates whole websites: HTML and accessibility" \
  org.opencontainers.image.licenses="MIT"
# The bundled browser is for x64. tini reaps what ends below a browser that has ended.
ARG TARGETARCH
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates fonts-dejavu-core libatomic1 tini \
    $([ "$TARGETARCH" = arm64 ] && echo chromium) \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --user-group --create-home sitewarden \
  && install --directory --owner=sitewarden --group=sitewarden --mode=0700 /data
COPY --from=java /java /opt/java
COPY --from=package /sitewarden /opt/sitewarden
RUN ln --symbolic /opt/sitewarden/node_modules/node-linux-*/bin/node /usr/local/bin/node \
  && ln --symbolic /opt/java/bin/java /usr/local/bin/java \
  && printf '#!/bin/sh\nexec node /opt/sitewarden/scripts/run.mjs "$@"\n' > /usr/local/bin/sitewarden \
  && chmod 0755 /usr/local/bin/sitewarden
ENV HOST=0.0.0.0 \
  SITEWARDEN_DATA_DIR=/data \
  NODE_COMPILE_CACHE=/data/cache/compiled \
  NODE_ENV=production
USER sitewarden
WORKDIR /work
VOLUME /data
EXPOSE 3000
# For `serve`. `work` and `check` listen on no port: start them with --no-healthcheck, or with the one of `work` in compose.yaml.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "sitewarden"]
CMD ["serve"]
