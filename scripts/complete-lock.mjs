// Completes package-lock.json after an `npm install`: npm leaves out packages for other platforms when the registry in use
// does not carry them, and `npm ci` then refuses the lock. Adds an entry for each, at the place where npm would put it.
// Usage: node scripts/complete-lock.mjs [FILE]

import fs from 'node:fs';

const SYSTEMS = new Set([
  ...['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'wasi', 'win32'],
]);
const PROCESSORS = new Set([
  ...['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'],
]);
/** What package names call a processor that npm calls otherwise. */
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

/** Adds what is missing to `packages` and returns the places. */
function complete(packages) {
  const places = [];
  for (const [place, dependent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(dependent.optionalDependencies ?? {})) {
      if (isExact(version) && !isFound(packages, place, name)) places.push(add(packages, place, { name, version }));
    }
  }
  return places.filter((place) => place !== null);
}

/** A range names no version that could be written down; platform packages are always named exactly. */
function isExact(version) {
  return /^\d/.test(version);
}

/** Whether Node, looking from the dependent's place upwards, finds the package. */
function isFound(packages, place, name) {
  for (let folder = place; ; folder = above(folder)) {
    if (packages[inside(folder, name)]) return true;
    if (folder === '') return false;
  }
}

/** Returns the new place, or null for a package that its name ties to no platform. */
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
