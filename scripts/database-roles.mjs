#!/usr/bin/env node
// `npm run db:roles`: grants web, worker and the read-only role the rights in database-roles/grants.mjs. It needs the
// owner's address in DATABASE_URL. The roles get the passwords in WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD and
// READ_DATABASE_PASSWORD. `npm run migrate` ends with the same.

import { readSecretFiles } from '../lib/platform/config/secret-files.mjs';
import { grantRoles } from './database-roles/command.mjs';

readSecretFiles(process.env);
if (process.env.DATABASE_URL) await grantRoles(process.env, console.log);
else {
  console.error('DATABASE_URL is not set: it must name the database with its owner.');
  process.exitCode = 1;
}
