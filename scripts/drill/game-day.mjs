// `npm run drill -- game-day`: presses every button for game days of a running sandbox, and looks where the runbooks say that the operator
// sees the incident and its end (e2e/game-day.spec.ts). It builds and starts a sandbox of its own, or one that was built before.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installBrowser, ROOT } from '../test/install.mjs';
import { startSandbox } from '../test/sandbox.mjs';

export const summary = 'presses the buttons for game days in a sandbox, and looks where the runbooks look';

const PLAYWRIGHT = path.join(ROOT, 'node_modules/.bin/playwright');

/** @param {string[]} words further arguments of Playwright */
export async function drill(words) {
  const CHROMIUM = installBrowser();
  const sandbox = await startSandbox();
  try {
    const { status } = spawnSync(PLAYWRIGHT, ['test', '--project=game day', '--reporter=list', ...words], {
      cwd: ROOT,
      env: { ...process.env, CHROMIUM, E2E_BASE_URL: sandbox.baseUrl, SANDBOX_JSON: sandbox.jsonFile },
      stdio: 'inherit',
    });
    return status === 0;
  } finally {
    await sandbox.stop();
  }
}
