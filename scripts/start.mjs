// `npm start`: a complete installation on this machine, from a fresh checkout to a supervised service, until it is
// stopped. This file only checks that Node is new enough to read the others.

import fs from 'node:fs';
import path from 'node:path';

const { engines } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname ?? 'scripts', '../package.json'), 'utf8'));
const least = engines.node.replace('>=', '');

if (isOlder(process.versions.node, least)) {
  console.error(`Node.js ${least} or newer is needed; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  const { main } = await import('./start/main.mjs');
  await main();
}

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
