// `stabletill upgrade --plan`: what the migrations of this version would lock, for how long, and whether web and worker may run
// meanwhile.

import { linesOf, planUpgrade } from '../migrations/plan.mjs';
import { theDatabase } from '../start/command.mjs';

const NEEDS_A_STOP = 1;
const WRONG_USAGE = 2;

export const command = {
  name: 'upgrade',
  summary: 'shows what an upgrade of the database would lock, and for how long',
  usage: `stabletill upgrade --plan
Compares the database with the migrations of this version, and changes nothing. "stabletill migrate" applies them.

Exit codes: 0 web and worker may run meanwhile, or there is nothing to apply, 1 they have to be stopped, 2 wrong usage.`,
  options: { '--plan': 'shows the plan', '--json': 'prints the plan as one JSON object' },
  async run(words, { print }) {
    const [plan, ...others] = words.filter((word) => word !== '--json');
    if (plan !== '--plan' || others.length > 0) return WRONG_USAGE;
    const found = await planUpgrade(theDatabase());
    if (words.includes('--json')) print(JSON.stringify(found, null, 2));
    else for (const line of linesOf(found)) print(line);
    return found.isOnline ? 0 : NEEDS_A_STOP;
  },
};
