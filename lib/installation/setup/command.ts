// What `npm run setup -- FILE` does, bundled for scripts/stabletill/setup.mjs. It reads a set-up from a file, validates all of it and
// tries what it names. Only then it creates the first operator and writes the settings. Running it again with the same file
// changes nothing.

import { isDeepStrictEqual } from 'node:util';
import { checkOperator, setUpFromFile } from '@/lib/merchants/accounts/setup';
import { systemClock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { lineOf, summaryOf, type Finding } from '@/lib/installation/doctor/findings';
import { settingFindings } from '@/lib/installation/doctor/settings';
import { mailFindings, networkFindings } from '@/lib/installation/doctor/external-checks';
import { openLog } from '@/lib/platform/log';
import { readPlan, settingsOf, type Fault, type Plan, type Settings } from './plan';
import { readSetupFile, writeSetupFile } from './settings-file';

export type SetupDeps = {
  /** Contains the installation's secrets, but not the settings of an earlier set-up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The settings file of the set-up. */
  readonly file: string;
  /** Validates and tries everything, but changes nothing. */
  readonly isCheck: boolean;
  /** Starts the database, migrates it, and returns its owner's address. Called only when an operator must be created. */
  readonly database: () => Promise<string>;
  readonly print: (line: string) => void;
};

/** Runs the command on a file's text. Returns the exit code. */
export async function runSetup(text: string, deps: SetupDeps): Promise<number> {
  const { print, file, isCheck } = deps;
  const read = readPlan(text);
  if ('faults' in read) return refuse(read.faults, print);
  const { plan } = read;
  const settings = settingsOf(plan);
  const faults = [...shadowed(settings, deps), ...(await operatorFaults(plan))];
  if (faults.length > 0) return refuse(faults, print);
  const config = configOf(settings, deps);
  if (typeof config === 'string') {
    print(config);
    return 1;
  }
  const findings = await findingsOf(config);
  for (const line of [...findings.map(lineOf), summaryOf(findings)]) print(line);
  if (findings.some(({ state }) => state === 'fail')) {
    print('Nothing was written. Correct what failed and run the command again.');
    return 1;
  }
  if (isCheck) return 0;
  if (plan.operator) print(await makeOperator(plan.operator, deps));
  const isNew = !isDeepStrictEqual(readSetupFile(file), { state: 'finished', settings });
  if (isNew) writeSetupFile(file, { state: 'finished', settings });
  print(
    isNew ? `The settings were written to ${file}. npm start takes them.` : `${file} holds these settings already.`,
  );
  for (const line of leftOf(plan)) print(line);
  return 0;
}

function refuse(faults: readonly Fault[], print: SetupDeps['print']): number {
  for (const { field, message } of faults) print(`${field}: ${message}`);
  print('Nothing was written.');
  return 1;
}

/** The environment wins over the file, so a setting that exists there would have no effect in the file. */
const shadowed = (settings: Settings, { environment }: SetupDeps): readonly Fault[] =>
  Object.entries(settings).flatMap(([name, value]) =>
    (environment[name] ?? '') === '' || environment[name] === value
      ? []
      : [
          {
            field: name,
            message: 'is also set in the environment or in .env, which wins over the set-up: remove it there',
          },
        ],
  );

async function operatorFaults({ operator }: Plan): Promise<readonly Fault[]> {
  if (!operator) return [];
  try {
    await checkOperator(operator);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ field: `operator.${error.param ?? ''}`, message: error.message }];
  }
}

/** The settings with which web and worker would start, or why they would not. */
function configOf(settings: Settings, { environment }: SetupDeps): Config | string {
  try {
    return readConfig({ ...environment, ...settings });
  } catch (error) {
    return `${(error as Error).message}\nNothing was written.`;
  }
}

async function findingsOf(config: Config): Promise<readonly Finding[]> {
  const log = openLog('worker', 'silent');
  try {
    const parts = [networkFindings(config, { clock: systemClock, log }), mailFindings(config)];
    return [...settingFindings(config), ...(await Promise.all(parts)).flat()];
  } catch (error) {
    // Budgets that do not match their endpoints: openChains names the setting.
    return [{ check: 'networks', state: 'fail', message: (error as Error).message }];
  }
}

async function makeOperator(operator: NonNullable<Plan['operator']>, { database }: SetupDeps): Promise<string> {
  const pool = openPool(await database(), 1);
  try {
    const isMade = await setUpFromFile({ pool, clock: systemClock }, operator);
    return isMade
      ? 'The operator was made. Sign in within an hour and set up a second factor; later, npm run attest-operator -- factor EMAIL opens another hour.'
      : 'There is an operator already. None was made.';
  } finally {
    await pool.end();
  }
}

const leftOf = ({ operator, networks, mail }: Plan): readonly string[] => [
  ...(operator ? [] : ['Left: npm start prints a link that makes the first operator.']),
  ...(networks ? [] : ['Left: no live network has an endpoint.']),
  ...(mail ? [] : ['Left: mail is not set up, so mails stay in the database.']),
  'Left: write down the keystore’s words after the first start, with npm run setup -- words.',
];
