// `npm start`: a complete installation on this machine, from a fresh checkout to a running service, kept running until it is
// told to end. Uses Node's own modules until the packages are installed. What it needs and prints: README.md, Starting.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { prepareCheckout } from './start/checkout.mjs';
import { openDataDirectory } from './start/data-directory.mjs';
import { checkPort, freePort } from './start/ports.mjs';
import { Refusal, Stopped } from './start/refusal.mjs';
import { readyText } from './start/ready-text.mjs';
import { readSecrets } from './start/secrets.mjs';
import { readEnvironment, readSettings } from './start/settings.mjs';
import { Supervisor } from './start/supervisor.mjs';
import { Tasks } from './start/tasks.mjs';
