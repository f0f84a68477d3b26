// What `stabletill support-bundle` does, bundled for scripts/stabletill/support-bundle.mjs: gathers what a person who helps needs to see,
// without secrets and without data of customers and stores. It changes nothing in the installation.

import { findingsOf } from '@/lib/installation/doctor/command';
import { openPool } from '@/lib/platform/database/db';
import { WRONG_USAGE } from '@/lib/platform/exit-code';
import { databaseFacts } from './database-facts';
import { lastErrors } from './logs';
import { knownSecrets, redact, secretsIn, withoutKnown } from './redact';
import { shownSettings } from './settings';

export type BundleDeps = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Secrets of the installation that this process does not need: the keystore's passphrase, passwords of other roles. */
  readonly secrets: readonly string[];
  /** The names of settings that belong to us. */
  readonly isOwn: (name: string) => boolean;
  readonly migrations: readonly string[];
  readonly directory: string;
  readonly version: string;
  readonly now: Date;
  /** The logs of the installation, by file name. */
  readonly logs: () => readonly (readonly [name: string, text: string])[];
  /** Reads a file that the person named. */
  readonly readFile: (file: string) => string;
  /** Writes the archive. Throws if the file exists. */
  readonly write: (file: string, files: Readonly<Record<string, string>>) => void;
  readonly print: (line: string) => void;
};

/** Runs the command with its arguments. Returns the exit code. */
export async function runSupportBundle(words: readonly string[], deps: BundleDeps): Promise<number> {
  const asked = askedIn(words);
  if (!asked) return WRONG_USAGE;
  const known = knownSecrets([...deps.secrets, ...secretsIn(deps.environment)]);
  const named = asked.logs.map((file) => [file.split('/').at(-1) ?? 'log', deps.readFile(file)] as const);
  const files = {
    ...(await ownFiles(deps, known)),
    ...Object.fromEntries(
      [...deps.logs(), ...named].map(([name, text]) => [`logs/${name}`, `${lastErrors(text, known).join('\n')}\n`]),
    ),
  };
  // The last net: a secret that came through all others keeps the bundle from being written.
  const leak = Object.entries(files).find(([, text]) => known.some((value) => text.includes(value)));
  if (leak) throw new Error(`${leak[0]} would contain a secret: nothing was written. Report this, without the file.`);
  const file = asked.out ?? `stabletill-support-${deps.now.toISOString().slice(0, 16).replaceAll(/[-T:]/g, '')}.tar.gz`;
  deps.write(file, files);
  for (const name of Object.keys(files)) deps.print(`  ${name}`);
  deps.print(`Written: ${file}. Read it before you send it: tar -xOzf ${file}`);
  return 0;
}

/** Null for words that are no request. */
function askedIn(words: readonly string[]): { readonly out: string | null; readonly logs: readonly string[] } | null {
  const logs: string[] = [];
  let out: string | null = null;
  for (let at = 0; at < words.length; at += 2) {
    const [name, value] = [words[at], words[at + 1]];
    if (value === undefined || value.startsWith('-')) return null;
    if (name === '--log') logs.push(value);
    else if (name === '--out' && out === null) out = value;
    else return null;
  }
  return { out, logs };
}

async function ownFiles(deps: BundleDeps, known: readonly string[]): Promise<Record<string, string>> {
  const { environment, migrations, directory, version, now, isOwn } = deps;
  const findings = await findingsOf({ environment, migrations, directory, isSetupOpen: false });
  const { node, openssl, v8 } = process.versions;
  const [platform, arch] = [process.platform, process.arch];
  const versions = {
    stabletill: version,
    node,
    openssl,
    v8,
    platform,
    arch,
    made_at: now,
    last_migration: migrations.at(-1),
  };
  return {
    'versions.json': withoutKnown(jsonOf(versions), known),
    'settings.json': withoutKnown(jsonOf(shownSettings(environment, isOwn)), known),
    'database.json': withoutKnown(jsonOf(await facts(environment.DATABASE_URL)), known),
    // Its messages name addresses of operators, hosts and wallets.
    'doctor.json': jsonOf({
      findings: findings.map(({ check, state, message }) => ({ check, state, message: redact(message, known) })),
    }),
  };
}

async function facts(databaseUrl: string | undefined): Promise<unknown> {
  if (!databaseUrl) return { error: 'DATABASE_URL is not set' };
  const pool = openPool(databaseUrl, 1);
  try {
    return await databaseFacts(pool);
  } finally {
    await pool.end();
  }
}

const jsonOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
