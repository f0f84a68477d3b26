// What `stabletill rotate` does besides the keystore's passphrase, bundled for scripts/stabletill/rotate.mjs. It needs the owner's
// DATABASE_URL and the settings of the worker. docs/operate/rotation.md has the steps around it.

import { rotateWebhookSecret } from '@/lib/merchants/stores/webhook-endpoint';
import { systemClock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { WRONG_USAGE } from '@/lib/platform/exit-code';
import type { Environment } from '@/lib/platform/ids';
import { openLog } from '@/lib/platform/log';
import { evidenceJson, evidenceLines, isEvidenceDone, rotateEvidenceKey } from './evidence-key';
import { giveUpMails } from './lost-mails';
import { auditEntryOf, isDone, lostMailsLines, masterKeysJson, masterKeysLines, rotateMasterKeys } from './master-keys';

const CONNECTIONS = 2;

type Deps = {
  readonly environment: Record<string, string | undefined>;
  readonly print: (line: string) => void;
};
type Work = { readonly pool: Pool; readonly config: Config; readonly print: (line: string) => void };

/** Runs the command with its arguments. Returns the exit code. */
export async function runRotate(words: readonly string[], { environment, print }: Deps): Promise<number> {
  const run = workOf(words);
  if (!run) return WRONG_USAGE;
  const config = readConfig(environment);
  const pool = openPool(config.DATABASE_URL, CONNECTIONS, config);
  try {
    return await run({ pool, config, print });
  } finally {
    await pool.end();
  }
}

/** Null for words that mean nothing. */
function workOf([name, ...rest]: readonly string[]): ((work: Work) => Promise<number>) | null {
  const options = new Set(rest);
  const [isCheck, isJson] = [options.has('--check'), options.has('--json')];
  const hasOptionsOnly = rest.length === Number(isCheck) + Number(isJson);
  const [only = ''] = rest;
  if (name === 'master-keys') {
    const asked = masterKeysWords(rest);
    return asked && ((work) => masterKeys(work, asked));
  }
  if (name === 'evidence-key' && hasOptionsOnly) return (work) => evidenceKey(work, isCheck, isJson);
  if (name === 'audit-key' && rest.length === 1 && /^[1-9]\d{0,2}$/.test(only))
    return (work) => auditKey(work, Number(only));
  const [, environment] = rest;
  if (name === 'webhook-secret' && rest.length === 2 && (environment === 'live' || environment === 'test'))
    return (work) => webhookSecret(work, only, environment);
  return null;
}

type MasterKeysWords = {
  readonly isCheck: boolean;
  readonly isJson: boolean;
  /** The version of a lost key, whose mails are given up on. */
  readonly lost: number | null;
};

/** Null for words that mean nothing. Who only checks gives nothing up. */
function masterKeysWords(words: readonly string[]): MasterKeysWords | null {
  const isJson = words.includes('--json');
  const [first, version = '', ...others] = words.filter((word) => word !== '--json');
  if (first === undefined) return { isCheck: false, isJson, lost: null };
  if (first === '--check' && version === '') return { isCheck: true, isJson, lost: null };
  if (first === '--give-up-mails' && /^(0|[1-9]\d{0,2})$/.test(version) && others.length === 0)
    return { isCheck: false, isJson, lost: Number(version) };
  return null;
}

async function masterKeys({ pool, config, print }: Work, { isCheck, isJson, lost }: MasterKeysWords): Promise<number> {
  const keys = config.MASTER_KEYS;
  const gone = lost === null ? null : await giveUpMails({ pool, keys, clock: systemClock }, lost);
  const report = await rotateMasterKeys(pool, keys, isCheck);
  const lines = [...(gone ? lostMailsLines(gone) : []), ...masterKeysLines(report, isCheck)];
  if (isJson) print(masterKeysJson(report, gone));
  else for (const line of lines) print(line);
  return isDone(report) ? 0 : 1;
}

async function evidenceKey({ pool, config, print }: Work, isCheck: boolean, isJson: boolean): Promise<number> {
  const { EVIDENCE_KEY: keys } = config;
  if (!keys) throw new Error('EVIDENCE_KEY is not set: run this with the settings of the worker.');
  const report = await rotateEvidenceKey(pool, keys, isCheck);
  if (isJson) print(evidenceJson(report));
  else for (const line of evidenceLines(report, isCheck)) print(line);
  return isEvidenceDone(report) ? 0 : 1;
}

async function auditKey({ config, print }: Work, version: number): Promise<number> {
  const entry = auditEntryOf(config.MASTER_KEYS, version);
  if (entry === null) throw new Error(`MASTER_KEYS has no version ${version}.`);
  print(entry);
  return 0;
}

/** As the merchant's own rotation, for a merchant who cannot sign in. */
async function webhookSecret(
  { pool, config, print }: Work,
  storeId: string,
  environment: Environment,
): Promise<number> {
  const deps = { pool, config, clock: systemClock, log: openLog('worker', 'error') };
  const rotated = await rotateWebhookSecret(deps, { storeId, environment });
  if (!rotated) throw new Error(`Store ${storeId} has no webhook endpoint in ${environment}.`);
  print(rotated.secret);
  return 0;
}
