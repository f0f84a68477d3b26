// What `npm run doctor` does, bundled for scripts/doctor.mjs: looks at settings, database, clock, endpoints, signer, mail, public
// address and disk, and prints what to do. It changes nothing and prints no secret.

import { systemClock } from '@/lib/clock';
import { readConfig, type Config } from '@/lib/config';
import { openPool } from '@/lib/db';
import { openLog } from '@/lib/log';
import { hasLiveNetwork, isProduction, unsafeSettings } from '@/lib/unsafe-settings';
import { databaseFindings } from './database';
import { lineOf, summaryOf, type Finding } from './findings';
import { runtimeFinding } from './runtime';
import {
  diskFindings,
  mailFindings,
  networkFindings,
  originFindings,
  signerFindings,
  walletFindings,
} from './surroundings';

const CONNECTIONS = 1;
const USAGE = `npm run doctor -- [--json]
Checks the installation that the settings in the environment describe. Exit code 0 without failures, else 1.`;

export type DoctorDeps = {
  readonly environment: Record<string, string | undefined>;
  /** Names of this version's migrations. */
  readonly migrations: readonly string[];
  readonly print: (line: string) => void;
};

/** Runs the command with its words; the exit code. */
export async function runDoctor(
  words: readonly string[],
  { environment, migrations, print }: DoctorDeps,
): Promise<number> {
  const [word, ...more] = words;
  if (more.length > 0 || (word !== undefined && word !== '--json')) {
    print(USAGE);
    return 1;
  }
  const findings = await findingsOf(environment, migrations);
  if (word === '--json') print(JSON.stringify({ findings }, null, 2));
  else for (const line of [...findings.map(lineOf), summaryOf(findings)]) print(line);
  return findings.some(({ state }) => state === 'fail') ? 1 : 0;
}

async function findingsOf(
  environment: DoctorDeps['environment'],
  migrations: readonly string[],
): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return faultFindings(error as Error);
  }
  const deps = { clock: systemClock, log: openLog('worker', 'silent') };
  const parts = [
    guarded('node', async () => [runtimeFinding(process.versions.node, systemClock.now())]),
    guarded('settings', async () => settingFindings(config)),
    guarded('database', () => askDatabase(config, migrations), CHECK_DATABASE),
    guarded('networks', () => networkFindings(config, deps)),
    guarded('signer', () => signerFindings(config)),
    guarded('wallet', () => walletFindings(config)),
    guarded('mail', () => mailFindings(config)),
    guarded('address', () => originFindings(config)),
    guarded('disk', () => diskFindings()),
  ];
  return (await Promise.all(parts)).flat();
}

/** One for each setting that cannot be read. `readConfig` lists them in the lines below its first one. */
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

function settingFindings(config: Config): readonly Finding[] {
  const unsafe = unsafeSettings(config);
  const isLive = hasLiveNetwork(config);
  const recommended = [
    ...(isProduction(config) && config.SECURITY_CONTACT === undefined ? [NO_CONTACT] : []),
    ...(isLive && config.AGREEMENT_ENDPOINTS === 1 ? [ONE_ENDPOINT] : []),
    ...(isLive && config.REFUND_CLAIM_DELAY_SECONDS_LIVE === 0 ? [NO_CLAIM_DELAY] : []),
  ];
  if (unsafe.length === 0) return [{ check: 'settings', state: 'ok', message: 'none is unsafe' }, ...recommended];
  return [...unsafe.map((message) => ({ check: 'settings', state: 'fail', message }) as const), ...recommended];
}

const CHECK_DATABASE =
  'Check host, port, name, user and password in DATABASE_URL, and that PostgreSQL runs and accepts connections from here.';

const NO_CONTACT: Finding = {
  check: 'contact',
  state: 'warn',
  message:
    'SECURITY_CONTACT is not set: people who find a vulnerability in this installation cannot see where to report it',
  todo: 'Set SECURITY_CONTACT=mailto:… or an https:// address. It is served as /.well-known/security.txt.',
};

const ONE_ENDPOINT: Finding = {
  check: 'agreement',
  state: 'warn',
  message: 'AGREEMENT_ENDPOINTS is 1: a single endpoint of a live network can make up payments, and they are credited',
  todo: 'Set AGREEMENT_ENDPOINTS=2, and give every live network endpoints of at least two providers.',
};

const NO_CLAIM_DELAY: Finding = {
  check: 'claims',
  state: 'warn',
  message:
    'REFUND_CLAIM_DELAY_SECONDS_LIVE is 0: a live refund goes to an address that a customer gave before anybody can cancel it',
  todo: 'Set REFUND_CLAIM_DELAY_SECONDS_LIVE=600. The store learns of the address by mail and can cancel until then.',
};

async function askDatabase(config: Config, migrations: readonly string[]): Promise<readonly Finding[]> {
  const pool = openPool(config.DATABASE_URL, CONNECTIONS);
  try {
    return await databaseFindings({ pool, clock: systemClock, config }, migrations);
  } finally {
    await pool.end();
  }
}

/** A check that fails unexpectedly is a finding, and the others still run. */
async function guarded(
  check: string,
  ask: () => Promise<readonly Finding[]>,
  todo = 'Correct the cause that is named here and run this command again.',
): Promise<readonly Finding[]> {
  try {
    return await ask();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const why = typeof code === 'string' ? code : message;
    return [{ check, state: 'fail', message: `it cannot be checked (${why})`, todo }];
  }
}
