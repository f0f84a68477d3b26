// `stabletill migrate`: brings the database to this version's schema, and grants the roles of web and worker their rights.

import { grantRoles } from '../database-roles/command.mjs';
import { theDatabase } from '../start/command.mjs';
import { useInstallation } from '../start/installation.mjs';
import { WrongUsage } from '../start/refusal.mjs';

export const command = {
  name: 'migrate',
  summary: 'applies the migrations that the database lacks, and grants the roles their rights',
  usage: `stabletill migrate
Needs the owner's DATABASE_URL, or with DATABASE_POOLER=transaction the owner's DATABASE_DIRECT_URL. The roles get the passwords in WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD and
READ_DATABASE_PASSWORD.`,
  run: async (words, { print }) => {
    if (words.length > 0) throw new WrongUsage();
    await useInstallation({ role: 'owner' });
    const { addressOfMigration, migrate } = await import('../migrate.mjs');
    const address = addressOfMigration({ ...process.env, DATABASE_URL: theDatabase() });
    const applied = await migrate(address, undefined, { print });
    print(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date');
    await grantRoles({ ...process.env, DATABASE_URL: address }, print);
    return 0;
  },
};
