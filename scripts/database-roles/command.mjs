// The code of `npm run db:roles`, which `npm run migrate` also runs at its end.

import { applyRoles, KINDS } from './apply.mjs';

/** @param {Record<string, string | undefined>} environment @param {(line: string) => void} print */
export async function grantRoles(environment, print) {
  const given = KINDS.map((kind) => [kind, environment[`${kind.toUpperCase()}_DATABASE_PASSWORD`] || undefined]);
  const present = await applyRoles(environment.DATABASE_URL ?? '', { passwords: Object.fromEntries(given) });
  if (present.length > 0) return print(`rights granted to ${present.join(', ')}`);
  print('there are no separate roles: web and worker would use the owner’s (docs/operate.md, Database roles)');
}
