// `stabletill database-roles`: grants web, worker and the read-only role the rights in scripts/database-roles/grants.mjs.
// `stabletill migrate` ends with the same.

import { grantRoles } from '../database-roles/command.mjs';
import { theDatabase } from '../start/command.mjs';
import { WrongUsage } from '../start/refusal.mjs';

export const command = {
  name: 'database-roles',
  summary: 'makes the database roles of web, worker and readers, and grants them their rights',
  usage: `stabletill database-roles
Needs the owner's DATABASE_URL. The roles get the passwords in WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD and
READ_DATABASE_PASSWORD.`,
  run: async (words, { print }) => {
    if (words.length > 0) throw new WrongUsage();
    await grantRoles({ ...process.env, DATABASE_URL: theDatabase() }, print);
    return 0;
  },
};
