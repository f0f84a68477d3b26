// Builds all programs: Prisma's client, Next's pages, and a bundle for each program. A stamp in dist/ holds the hash of the built
// sources, so `npm start` builds only after a change. `--without-sandbox` omits the programs that a production image does not have.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sourcesHash } from './build-sources.mjs';
import { packSdk } from './pack-sdk.mjs';
import { bundleEmbedScript, bundleOffline } from './standalone-bundles.mjs';
import { externalPrismaClient } from './external-prisma-client.mjs';
import { takeLock } from './start/lock.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const STAMP = 'dist/.sources';
const PRISMA_CLIENT = 'prisma/generated/client.ts';
/** The script for shops' pages, which app/embed.js serves. */
const EMBED = 'dist/embed.js';
const CHECKOUT = 'dist/checkout.json';
/** The program for a machine without a network: one file that needs no other one. */
const OFFLINE = 'dist/stabletill-offline.mjs';
/** The SDK package for merchants' servers and its metadata, which app/sdk serves. */
const SDK = ['dist/stabletill-sdk.tgz', 'dist/stabletill-sdk.json'];

/** Each program by the name of its bundle. */
const PROGRAMS = {
  server: 'server.ts',
  pages: 'server-pages.ts',
  worker: 'lib/worker/main.ts',
  signer: 'lib/signer/main.ts',
  addresses: 'lib/treasury/wallets/next-index-command.ts',
  'address-holdings': 'lib/ledger/reconciliation/holdings-command.ts',
  'scan-address': 'lib/ledger/reconciliation/balances/scan-command.ts',
  'exchange-wallets': 'lib/refunds/destination/exchange-wallets/command.ts',
  sanctions: 'lib/screening/list/command.ts',
  cold: 'lib/cold-storage/returns/cold-command.ts',
  operator: 'lib/merchants/accounts/operator-reset/reset-command.ts',
  'attest-operator': 'lib/merchants/accounts/attest-operator-command.ts',
  'check-books': 'lib/ledger/invariants/check-command.ts',
  refunds: 'lib/refunds/recovery/command.ts',
  're-attest': 'lib/payments/watcher/backfill/reattest-command.ts',
  'verify-audit': 'lib/merchants/audit/verify-command.ts',
  doctor: 'lib/installation/doctor/command.ts',
  'support-bundle': 'lib/installation/support/bundle-command.ts',
  setup: 'lib/installation/setup/command.ts',
  archive: 'lib/installation/retention/archive-command.ts',
  rotate: 'lib/installation/rotation/command.ts',
  'restore-proof': 'lib/installation/restores/proof-command.ts',
  // No program: what the others load when they first need it.
  'prisma-client': PRISMA_CLIENT,
};
const SANDBOX_PROGRAMS = { sandbox: 'sandbox/main.ts', prepare: 'sandbox/prepare.ts' };

/** Whether the sources differ from those of the last build, or a part of it is missing. Reads files only. */
export function needsBuild(root) {
  const stamp = path.join(root, STAMP);
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== sourcesHash(root)) return true;
  const made = [
    '.next/BUILD_ID',
    PRISMA_CLIENT,
    EMBED,
    CHECKOUT,
    OFFLINE,
    ...SDK,
    ...Object.keys({ ...PROGRAMS, ...SANDBOX_PROGRAMS }).map(bundleOf),
  ];
  return made.some((file) => !fs.existsSync(path.join(root, file)));
}

/** Runs `work` while no other process installs into or builds in this checkout; waits for a running one. */
export async function underCheckoutLock(root, work) {
  const directory = path.join(root, 'dist');
  fs.mkdirSync(directory, { recursive: true });
  let lock = takeLock(directory);
  while (!lock) {
    await sleep(200);
    lock = takeLock(directory);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Generates Prisma's client, which the type check and the tests also need. It reads no database. */
export function generatePrismaClient() {
  return run('prisma/build/index.js', ['generate', '--no-hints']);
}

async function build(programs) {
  // Hashed before the build, so that a change during the build makes the next start build again.
  const hash = sourcesHash(ROOT);
  fs.rmSync(path.join(ROOT, STAMP), { force: true });
  await generatePrismaClient();
  await bundle(programs);
  await bundleEmbedScript(path.join(ROOT, EMBED));
  bundleSdk(ROOT);
  await bundleOffline(path.join(ROOT, OFFLINE));
  await run('next/dist/bin/next', ['build']);
  await bundleCheckoutScript();
  fs.writeFileSync(path.join(ROOT, STAMP), hash);
}

async function bundle(programs) {
  for (const source of Object.values(programs)) {
    if (!fs.existsSync(path.join(ROOT, source)))
      throw new Error(`${source} is missing, and without it nothing can be built`);
  }
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(programs).map(([name, source]) => ({ in: source, out: name })),
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    conditions: ['react-server'],
    plugins: [externalPrismaClient],
    logLevel: 'warning',
  });
}

/** Writes the hosted page's script beside Next's own files, which are served immutable under content-hashed names. */
async function bundleCheckoutScript() {
  const esbuild = await import('esbuild');
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ['components/checkout/browser/page.ts'],
    outdir: '.next/static/checkout',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const [script] = Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint?.endsWith('/page.ts') ? [file] : [],
  );
  fs.writeFileSync(
    path.join(ROOT, CHECKOUT),
    `${JSON.stringify({ script: `/_next/${script.slice('.next/'.length)}` })}\n`,
  );
}

/** Writes the SDK's tarball and the metadata that npm needs. */
export function bundleSdk(root) {
  const [tarball, description] = SDK.map((file) => path.join(root, file));
  fs.writeFileSync(description, `${JSON.stringify(packSdk(tarball))}\n`);
}

const bundleOf = (name) => `dist/${name}.mjs`;

/** Runs an installed program of node_modules; throws when it fails. */
function run(program, args) {
  const file = path.join(ROOT, 'node_modules', program);
  // Both run without telemetry, and their caches stay in the checkout.
  const own = path.join(ROOT, 'node_modules/.cache');
  const quiet = { NEXT_TELEMETRY_DISABLED: '1', CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  const env = { ...process.env, NODE_ENV: 'production', XDG_CACHE_HOME: own, XDG_CONFIG_HOME: own, ...quiet };
  const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`${program.split('/')[0]} ${args[0]} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const small = process.argv.includes('--without-sandbox');
  await underCheckoutLock(ROOT, async () => {
    // Another start may have built while this one waited for the lock.
    if (process.argv.includes('--if-needed') && !needsBuild(ROOT)) return;
    await build(small ? PROGRAMS : { ...PROGRAMS, ...SANDBOX_PROGRAMS });
  }).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
