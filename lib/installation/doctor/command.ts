// What `npm run doctor` does, bundled for scripts/stabletill/doctor.mjs. It checks settings, database, clock, endpoints, signer, mail,
// Valkey, public address and disk, and prints what to do. It changes nothing and prints no secret.

import { systemClock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { databaseFindings } from './database';
import { lineOf, summaryOf, type Finding } from './findings';
import { duringSetup, openSetupFinding } from './open-setup';
import { limitFindings } from './limits';
import { runtimeFinding } from './runtime';
import { settingFindings } from './settings';
import {
  diskFindings,
  mailFindings,
  networkFindings,
  originFindings,
  signerFindings,
  walletFindings,
} from './external-checks';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

const CONNECTIONS = 1;
export type DoctorDeps = {
  readonly environment: Record<string, string | undefined>;
  /** Names of this version's migrations. */
  readonly migrations: readonly string[];
  /** The installation's data directory. */
  readonly directory: string;
  /** Whether its set-up in the browser is not finished. */
  readonly isSetupOpen: boolean;
  readonly print: (line: string) => void;
};

/** Runs the command with its arguments. Returns the exit code. */
export async function runDoctor(words: readonly string[], { print, ...deps }: DoctorDeps): Promise<number> {
  const [word, ...more] = words;
  if (more.length > 0 || (word !== undefined && word !== '--json')) {
    return WRONG_USAGE;
  }
  const findings = await findingsOf(deps);
  if (word === '--json') print(JSON.stringify({ findings }, null, 2));
  else for (const line of [...findings.map(lineOf), summaryOf(findings)]) print(line);
  return findings.some(({ state }) => state === 'fail') ? 1 : 0;
}

export async function findingsOf({
  environment,
  migrations,
  directory,
  isSetupOpen,
}: Omit<DoctorDeps, 'print'>): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return faultFindings(error as Error);
  }
  const deps = { clock: systemClock, log: openLog('worker', 'silent') };
  const parts = [
    guarded('node', async () => [runtimeFinding(process.versions.node, systemClock.now())]),
    guarded('settings', async () => [...settingFindings(config), ...(isSetupOpen ? [openSetupFinding(config)] : [])]),
    guarded('database', () => queryDatabase(config, migrations), CHECK_DATABASE),
    guarded('networks', () => networkFindings(config, deps)),
    guarded('signer', () => signerFindings(config, systemClock.now())),
    guarded('wallet', () => walletFindings(config)),
    guarded('mail', () => mailFindings(config)),
    guarded('limits', () => limitFindings(config)),
    guarded('address', () => originFindings(config)),
    guarded('disk', () => diskFindings(directory)),
  ];
  const findings = (await Promise.all(parts)).flat();
  return isSetupOpen ? findings.map(duringSetup) : findings;
}

/** One finding for each invalid setting. `readConfig` lists them in the lines below its first one. */
function faultFindings({ message }: Error): readonly Finding[] {
  const [first = '', ...faults] = message.split('\n').map((line) => line.trim());
  const todo = 'Correct it in the environment or in .env; .env.example explains each setting.';
  return (faults.length > 0 ? faults : [first]).map((fault) => ({
    check: 'settings',
    state: 'fail',
    message: fault,
    todo,
  }));
}

const CHECK_DATABASE =
  'Check that the installation runs (npm start has a database of its own), or host, port, name, user and password in DATABASE_URL.';

async function queryDatabase(config: Config, migrations: readonly string[]): Promise<readonly Finding[]> {
  const pool = openPool(config.DATABASE_URL, CONNECTIONS, config);
  try {
    return await databaseFindings({ pool, clock: systemClock, config }, migrations);
  } finally {
    await pool.end();
  }
}

/** Turns an unexpected failure of a check into a finding, so that the other checks still run. */
async function guarded(
  check: string,
  run: () => Promise<readonly Finding[]>,
  todo = 'Correct the cause that is named here and run this command again.',
): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const why = typeof code === 'string' ? code : message;
    return [{ check, state: 'fail', message: `it cannot be checked (${why})`, todo }];
  }
}
