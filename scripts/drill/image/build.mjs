// Builds the Dockerfile on the stand-ins.

import fs from 'node:fs';
import path from 'node:path';
import { buildah, HOME, host } from './podman.mjs';
import { DEBIAN, makeDebian, makeNode, NODE } from './stand-ins.mjs';

const ROOT = path.join(import.meta.dirname, '../../..');
export const IMAGE = 'localhost/stabletill';
const BUILT = 'localhost/stabletill-built';
/** What the last stage takes from the first one. */
const TAKEN = [
  '.next',
  'dist',
  'messages',
  'docs/snippets',
  'prisma/migrations',
  'scripts',
  'lib/platform/config',
  'package.json',
  'next.config.mjs',
];

/** `isBuilt`: the first stage's result comes from this checkout, which must be built. */
export function buildImage(isBuilt) {
  makeDebian();
  const dockerfile = fs.readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
  const version = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile)?.[1];
  makeNode(version);
  if (isBuilt) makeBuilt();
  // The registry of this machine's npm, for the build alone.
  const npmrc = path.join(HOME, 'npmrc');
  fs.writeFileSync(
    npmrc,
    `registry=${host('npm', ['config', 'get', 'registry'])}\ncafile=/etc/ssl/certs/ca-certificates.crt\n`,
  );
  const given = { NODE_IMAGE: NODE, DEBIAN_IMAGE: DEBIAN, ...(isBuilt ? { BUILT } : {}) };
  buildah(
    [
      ...['build', '--isolation', 'chroot', '--network', 'host', '--format', 'docker', '-t', IMAGE],
      ...['--volume', `${npmrc}:/root/.npmrc:ro`],
      ...Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      ROOT,
    ],
    { stdio: 'inherit' },
  );
}

function makeBuilt() {
  const context = path.join(HOME, 'built');
  fs.rmSync(context, { recursive: true, force: true });
  for (const name of TAKEN) {
    fs.cpSync(path.join(ROOT, name), path.join(context, 'build', name), {
      ...{ recursive: true, verbatimSymlinks: true },
      filter: (from) => !from.startsWith(path.join(ROOT, '.next/cache')),
    });
  }
  for (const name of ['sandbox.mjs', 'prepare.mjs']) fs.rmSync(path.join(context, 'build/dist', name), { force: true });
  host(process.execPath, [path.join(ROOT, 'scripts/image/runtime-files.mjs'), path.join(context, 'runtime')]);
  fs.copyFileSync(path.join(HOME, 'node/node/bin/node'), path.join(context, 'runtime/node'));
  fs.chmodSync(path.join(context, 'runtime/node'), 0o755);
  host('strip', ['--strip-unneeded', path.join(context, 'runtime/node')]);
  fs.mkdirSync(path.join(context, 'etc/ssl/certs'), { recursive: true });
  fs.copyFileSync('/etc/ssl/certs/ca-certificates.crt', path.join(context, 'etc/ssl/certs/ca-certificates.crt'));
  host(process.execPath, [path.join(ROOT, 'scripts/image/slim-build.mjs'), path.join(context, 'build')]);
  fs.writeFileSync(path.join(context, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
  buildah(['build', '--isolation', 'chroot', '-t', BUILT, context], { stdio: 'inherit' });
}
