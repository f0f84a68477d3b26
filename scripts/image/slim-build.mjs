#!/usr/bin/env node
// Removes from a built checkout what only a developer reads: source maps, lists of traced files and Next's notes about its build.
// `node scripts/image/slim-build.mjs DIRECTORY`

import fs from 'node:fs';
import path from 'node:path';

const NEXT = path.join(process.argv[2] ?? '', '.next');
if (!fs.existsSync(path.join(NEXT, 'BUILD_ID'))) throw new Error('Name the directory of a built checkout.');

for (const name of ['cache', 'diagnostics', 'trace', 'trace-build', 'types']) {
  fs.rmSync(path.join(NEXT, name), { recursive: true, force: true });
}
// Browsers' maps are served beside their scripts; the server's are never read.
for (const name of fs.readdirSync(path.join(NEXT, 'server'), { recursive: true }).map(String)) {
  if (/\.(?:map|nft\.json)$/.test(name)) fs.rmSync(path.join(NEXT, 'server', name));
}
