// Completes package-lock.json after `npm install`. npm omits other platforms' packages when the registry in use lacks
// them, and `npm ci` then rejects the lock. Adds an entry for each, where npm would put it. Usage: node
// scripts/complete-lock.mjs [FILE]

import fs from 'node:fs';

const SYSTEMS = new Set([
  ...['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'wasi', 'win32'],
]);
const PROCESSORS = new Set([
  ...['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'],
]);
/** Processor names in package names, where they differ from npm's names. */
const ALIASES = new Map([
  ['armv7', 'arm'],
  ['amd64', 'x64'],
]);
/** The last package in a path like `node_modules/a/node_modules/@b/c`. */
const LAST_PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/;

const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(fs.readFileSync(file, 'utf8'));
const added = complete(lock.packages);
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([one], [other]) => (one < other ? -1 : 1)));
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${added.length} packages of other platforms`);

/** Adds the missing entries to `packages` and returns their paths. */
function complete(packages) {
  const places = [];
  for (const [place, dependent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(dependent.optionalDependencies ?? {})) {
      if (isExact(version) && !isFound(packages, place, name)) places.push(add(packages, place, { name, version }));
    }
  }
  return places.filter((place) => place !== null);
}

/** A range does not name a version that could be written; platform packages always have exact versions. */
function isExact(version) {
  return /^\d/.test(version);
}

/** Whether Node finds the package when it resolves upwards from the dependent. */
function isFound(packages, place, name) {
  for (let folder = place; ; folder = above(folder)) {
    if (packages[inside(folder, name)]) return true;
    if (folder === '') return false;
  }
}

/** Returns the new path, or null for a package whose name names no platform. */
function add(packages, place, { name, version }) {
  const parts = name.split('/').at(-1).split(/[-.]/);
  const os = parts.filter((part) => SYSTEMS.has(part));
  const cpu = parts.map((part) => ALIASES.get(part) ?? part).filter((part) => PROCESSORS.has(part));
  if (os.length === 0 && cpu.length === 0) {
    console.error(`left out ${name}@${version}: its name tells no platform`);
    return null;
  }
  const target = inside(place === '' ? '' : above(place), name);
  packages[target] = {
    version,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(packages[place].dev ? { dev: true } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
  return target;
}

function above(place) {
  return place.replace(LAST_PACKAGE, '');
}
function inside(folder, name) {
  return `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
}
