# The service as a container image, from a clone:
#
#   docker build -t itemwright .
#   docker run --rm -p 8080:8080 -v itemwright:/data --read-only --tmpfs /tmp itemwright
#
# For both platforms: docker buildx build --platform linux/amd64,linux/arm64 -t itemwright .
# Nothing in it depends on the platform but Node, so the last stage runs no command, and no emulator is needed.

FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools/clone tools/clone
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --loglevel=error --pack-destination /tmp \
  && npm install --global --prefix /app --ignore-scripts --no-audit --no-fund /tmp/itemwright-*.tgz \
  && mkdir /data

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    PATH=/app/bin:$PATH \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/itemwright.db
COPY --from=build /app /app
COPY --chmod=755 deploy/backup.sh /app/bin/itemwright-backup
# The user `node` of the base image, by number: Kubernetes can then see that it is not root.
COPY --from=build --chown=1000:1000 /data /data
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
# The service finishes the requests that it has begun, and then ends.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}${process.env.PATH_PREFIX ?? ''}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["itemwright"]
CMD ["serve"]
