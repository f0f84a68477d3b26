# The production image: web, worker, signer and migrations, one program each by its command. The sandbox is not in it, and neither are a
# package manager and a compiler. docs/operate/images.md says how to build, pin and check it.

# Exact versions; pin them by digest where your registry tells it (docs/operate/images.md).
ARG NODE_IMAGE=node:24.22.3-bookworm-slim
ARG DEBIAN_IMAGE=debian:12.15-slim
# Another image with the result of the first stage, where something else built it (`npm run drill -- image --built`).
ARG BUILT=build

FROM ${NODE_IMAGE} AS build
WORKDIR /build
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json .npmrc ./
COPY packages/sdk/package.json packages/sdk/
# No package may run a script of its own while it is installed.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs --without-sandbox && rm -rf .next/cache
# Of the packages only the files that can be loaded, and the list of those packages.
RUN node scripts/image/runtime-files.mjs /runtime && node scripts/image/slim-build.mjs .
# Native code for a signer with keys in an HSM is compiled only if it is asked for: --build-arg HSM=on.
ARG HSM=off
RUN if [ "$HSM" = on ]; then \
    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 make g++ && \
    npm_config_nodedir=/usr/local npm rebuild pkcs11js --ignore-scripts=false && test -f node_modules/pkcs11js/build/Release/pkcs11.node && \
    cp -r node_modules/pkcs11js /runtime/node_modules/; \
  fi
# Without the symbols that only a debugger reads.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends binutils ca-certificates && \
  cp /usr/local/bin/node /runtime/node && strip --strip-unneeded /runtime/node

FROM ${BUILT} AS built

FROM ${DEBIAN_IMAGE}
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home --shell /usr/sbin/nologin node && \
  mkdir -m 0700 /var/lib/stabletill /run/stabletill && chown node:node /var/lib/stabletill /run/stabletill
WORKDIR /srv/stabletill
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0
COPY --from=built /runtime/node /usr/local/bin/node
COPY --from=built /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=built /runtime/node_modules node_modules
COPY --from=built /runtime/sbom.cdx.json /build/package.json /build/next.config.mjs ./
COPY --from=built /build/.next .next
COPY --from=built /build/dist dist
COPY --from=built /build/messages messages
COPY --from=built /build/docs/snippets docs/snippets
COPY --from=built /build/prisma/migrations prisma/migrations
COPY --from=built /build/lib/platform/config/secret-files.mjs lib/platform/config/secret-files.mjs
COPY --from=built /build/scripts/database-roles scripts/database-roles
COPY --from=built /build/scripts/start scripts/start
COPY --from=built /build/scripts/image scripts/image
COPY --from=built /build/scripts/migrations scripts/migrations
COPY --from=built /build/scripts/backup scripts/backup
COPY --from=built /build/scripts/stabletill scripts/stabletill
COPY --from=built /build/scripts/stabletill.mjs /build/scripts/migrate.mjs /build/scripts/exchange-wallets.txt scripts/
# The operator's command line.
RUN ln -s /srv/stabletill/scripts/stabletill.mjs /usr/local/bin/stabletill && stabletill --help > /dev/null
# Each program finds all that it loads at its start.
RUN node scripts/image/check-layout.mjs
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# Web. compose.yaml and the Helm chart name the checks of the other programs.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "scripts/image/health.mjs", "web"]
# Worker: node dist/worker.mjs. Signer: node dist/signer.mjs. Migrations and the rights of database roles: stabletill migrate. Operator: stabletill --help.
CMD ["node", "dist/server.mjs"]
