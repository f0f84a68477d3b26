// The process of one part of `npm run bench -- treasury`: measures it, and sends its goals to the parent.

import { PARTS } from './parts.mjs';

const [, , name, directory] = process.argv;
const goals = await PARTS[name](directory);
process.send(goals, () => process.exit(0));
