// Settings of Prisma's command line: where the schema and the migrations are, and the schema engine that needs no download.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'prisma/config';

// Prisma's CLI fetches a native schema engine before every command, `generate` included. The shim runs the official
// WebAssembly build of the same engine instead, so that a machine without that host works too.
const shim = path.join(import.meta.dirname, 'scripts/schema-engine.mjs');
if (existsSync(shim)) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= shim;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `generate` never connects, but a missing address would stop it.
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://app@127.0.0.1:55432/app' },
});
