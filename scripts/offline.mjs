#!/usr/bin/env node
// `npm run offline`: runs dist/stabletill-offline.mjs, which shows and signs requests of `npm run cold` and opens no connection. On the
// machine without a network that one file is enough: node stabletill-offline.mjs --help.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = path.join(import.meta.dirname, '../dist/stabletill-offline.mjs');

if (fs.existsSync(PROGRAM)) await import(pathToFileURL(PROGRAM).href);
else {
  console.error('Not built yet: run `npm run build` first.');
  process.exitCode = 1;
}
