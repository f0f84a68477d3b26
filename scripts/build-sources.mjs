// What a build reads, and a hash of it: a build is needed when the hash has changed.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** All inputs of a build. */
const SOURCES = [
  ...[
    'app',
    'components',
    'lib',
    'messages',
    'packages/sdk/src',
    'packages/sdk/package.json',
    'packages/sdk/README.md',
    'packages/sdk/build.mjs',
    'packages/sdk/tsconfig.build.json',
    'prisma',
    'public',
    'sandbox',
    'server.ts',
    'server-pages.ts',
    'proxy.ts',
    'instrumentation.ts',
    'next.config.mjs',
    'postcss.config.mjs',
  ],
  ...[
    'prisma.config.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/build-sources.mjs',
    'scripts/standalone-bundles.mjs',
    'scripts/pack-sdk.mjs',
    'scripts/external-prisma-client.mjs',
  ],
];
/** Files among the sources that are not built: generated code and tests. */
const NOT_BUILT = /^prisma\/generated$|^lib\/testing$|\.test\.tsx?$|\.sol$/;

/** Of the names and contents of all inputs. */
export function sourcesHash(root) {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((name) => filesBelow(root, name))) {
    const content = createHash('sha256')
      .update(fs.readFileSync(path.join(root, file)))
      .digest('hex');
    hash.update(`${file} ${content}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(root, name) {
  if (NOT_BUILT.test(name)) return [];
  const found = fs.statSync(path.join(root, name), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [name] : [];
  const inside = fs.readdirSync(path.join(root, name)).toSorted();
  return inside.flatMap((one) => filesBelow(root, `${name}/${one}`));
}
