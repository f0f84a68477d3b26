// Checks package-lock.json offline, since the registry's audit is unreliable. It rejects versions below a security
// floor, known malware, packages from outside the registry, missing integrity, and a tree above the package budget.
// Called by scripts/check.mjs.

/** Lowest acceptable versions, with the reason (as of 2026-11-21). */
export const FLOORS = {
  next: ['16.4.5', 'CVE-2026-119347 and everything before it'],
  'next-auth': ['4.24.15', 'four advisories of July 2026'],
  sharp: ['0.35.5', 'memory corruption through the image optimizer'],
  nodemailer: ['9.0.1', 'every 8.x has advisories'],
  '@solana/web3.js': ['1.95.8', '1.95.6 and 1.95.7 sent private keys away'],
};

/** First versions that must not be used, because the package became a different one. */
export const CEILINGS = { '@solana/web3.js': ['2.0.0', 'the 2.x line is another library'] };

/** Versions that attackers published. */
export const DENIED = {
  axios: ['1.14.1', '0.30.4'],
  debug: ['4.4.2'],
  chalk: ['5.6.1'],
  'ansi-styles': ['6.2.2'],
  'ansi-regex': ['6.2.1'],
  'strip-ansi': ['7.1.1'],
  'wrap-ansi': ['9.0.1'],
  'slice-ansi': ['7.1.1'],
  'supports-color': ['10.2.1'],
  'supports-hyperlinks': ['4.1.1'],
  'color-convert': ['3.1.1'],
  'color-name': ['2.0.1'],
  'color-string': ['2.1.1'],
  color: ['5.0.1'],
  'error-ex': ['1.3.3'],
  'is-arrayish': ['0.3.3'],
  'simple-swizzle': ['0.2.3'],
};

/** Packages that exchange private formats and therefore must have the same version. */
const TOGETHER = [
  ['prisma', '@prisma/client', '@prisma/adapter-pg'],
  ['react', 'react-dom'],
  ['playwright', '@playwright/test'],
];

/**
 * The package budget of the tree on one machine; every package is a supply-chain risk. Some fifty came with the
 * dashboard: passkeys (ASN.1 readers for attestations), next-auth, Tailwind's compiler and the component kit. Eight
 * came with compression, which Next bundles but does not export. Some fifty came with knip, which finds unused code. One
 * has the contracts of Safe for the tests, and nothing that runs. Eleven are the official SDK of OpenTelemetry and its exporter, which
 * are loaded only where traces are exported. Nine count requests of several web processes in Valkey, and are loaded only where it is set.
 */
const BUDGET = 924;

/**
 * The faults of a lock file, as sentences; an empty list means that it may be installed.
 * @param {{ packages: Record<string, any> }} lock the parsed package-lock.json
 * @param {{ budget?: number }} [limits]
 * @returns {string[]}
 */
export function dependencyFaults(lock, { budget = BUDGET } = {}) {
  const { '': project, ...entries } = lock.packages;
  const workspaces = new Set(project.workspaces ?? []);
  const installed = Object.entries(entries).map(([place, entry]) => ({ name: nameAt(place), place, ...entry }));
  const here = installed.filter((one) => one.integrity);
  return [
    ...['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) => rangeFaults(project[kind] ?? {})),
    ...installed.flatMap((one) => [
      ...versionFaults(one),
      ...(workspaces.has(one.place) ? workspaceFaults(one) : isWorkspaceLink(one, workspaces) ? [] : originFaults(one)),
    ]),
    ...TOGETHER.flatMap((names) => togetherFaults(names, entries)),
    ...(here.length > budget ? [`${here.length} packages are more than the ${budget} that were agreed`] : []),
  ];
}

const nameAt = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

function rangeFaults(wanted) {
  return Object.entries(wanted)
    .filter(([, range]) => !/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(range))
    .map(([name, range]) => `${name}: "${range}" in package.json is not one exact version`);
}

function versionFaults({ name, version }) {
  const faults = [];
  const [floor, why] = FLOORS[name] ?? [];
  if (floor && compareVersions(version, floor) < 0) faults.push(`${name} ${version} is below ${floor}: ${why}`);
  const [ceiling, reason] = CEILINGS[name] ?? [];
  if (ceiling && compareVersions(version, ceiling) >= 0) faults.push(`${name} ${version} is too new: ${reason}`);
  if (DENIED[name]?.includes(version)) faults.push(`${name} ${version} was published by thieves`);
  return faults;
}

function originFaults({ name, place, integrity, resolved, link, optional, os, cpu }) {
  const faults = [];
  // The lock is written without addresses, so an address in it points outside the registry.
  if (resolved !== undefined || link) faults.push(`${place} comes from outside the registry (${resolved ?? 'a link'})`);
  // Binaries of other platforms have no integrity where the registry in use does not carry them.
  const foreign = optional && (excludes(os, process.platform) || excludes(cpu, process.arch) || /-musl\b/.test(name));
  if (!foreign && !integrity?.startsWith('sha512-')) faults.push(`${place} has no sha512 integrity`);
  return faults;
}

/** npm lists a package of our own twice: the folder, and the link where Node resolves packages. */
const isWorkspaceLink = ({ link, resolved }, workspaces) => link === true && workspaces.has(resolved);

/** A merchant who installs our package must not have to trust a third party. */
function workspaceFaults({ place, dependencies, hasInstallScript }) {
  const names = Object.keys(dependencies ?? {});
  return [
    ...(names.length > 0 ? [`${place} is published without dependencies, and has ${names.join(', ')}`] : []),
    ...(hasInstallScript ? [`${place} must not run a script when it is installed`] : []),
  ];
}

const excludes = (list, one) => Array.isArray(list) && !list.includes(one);

function togetherFaults(names, entries) {
  const versions = names.map((name) => entries[`node_modules/${name}`]?.version).filter(Boolean);
  return new Set(versions).size > 1 ? [`${names.join(', ')} must be of one version, not ${versions.join(', ')}`] : [];
}

/** Less than, equal to or greater than zero, as semantic versioning orders two versions. */
export function compareVersions(one, other) {
  const [a, b] = [one, other].map((text) => text.split('+')[0].match(/^(\d+)\.(\d+)\.(\d+)(?:-(.+))?$/));
  if (!a || !b) throw new Error(`not a version: ${a ? other : one}`);
  for (const part of [1, 2, 3]) if (a[part] !== b[part]) return Number(a[part]) - Number(b[part]);
  if (a[4] === b[4]) return 0;
  if (a[4] === undefined || b[4] === undefined) return a[4] === undefined ? 1 : -1;
  return a[4].localeCompare(b[4], 'en', { numeric: true });
}
