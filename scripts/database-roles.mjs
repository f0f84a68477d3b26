#!/usr/bin/env node
// `npm run db:roles`: gives web, worker and the read-only role what database-roles/grants.mjs lists, with the owner's address in
// DATABASE_URL. Roles are made with the passwords in WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD and READ_DATABASE_PASSWORD.
// `npm run migrate` ends with the same.

import { grantRoles } from './database-roles/command.mjs';

if (process.env.DATABASE_URL) await grantRoles(process.env, console.log);
else {
  console.error('DATABASE_URL is not set: it must name the database with its owner.');
  process.exitCode = 1;
}
