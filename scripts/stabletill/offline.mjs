// `stabletill offline`: runs dist/stabletill-offline.mjs, which shows and signs requests of `stabletill cold` and opens no
// connection. On the machine without a network that one file is enough: node stabletill-offline.mjs --help.

import { spawnSync } from 'node:child_process';
import { programFile } from '../start/command.mjs';

export const command = {
  name: 'offline',
  summary: 'shows and signs requests of “stabletill cold” on a machine without a network',
  usage: `stabletill offline show FILE
stabletill offline sign FILE …
The program is one file, dist/stabletill-offline.mjs: copy it to the machine without a network and run it there with
node stabletill-offline.mjs --help, which explains every option.`,
  run: (words) => {
    const { status } = spawnSync(process.execPath, [programFile('stabletill-offline'), ...words], { stdio: 'inherit' });
    return status ?? 1;
  },
};
