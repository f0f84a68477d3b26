// What `stabletill operator` does, bundled for scripts/stabletill/operator.mjs: the server's administrator resets the sign-in of an operator
// whom no other operator can help. Asking and completing are two runs of the same words, with a delay between them.

import { checkEmail } from '@/lib/merchants/accounts/users';
import type { Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Pool } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { WRONG_USAGE } from '@/lib/platform/exit-code';
import { cancelResetOf, readOpenResets } from './open-resets';
import { completeReset, DEFAULT_DELAY_HOURS, requestReset } from './reset';

/** A week. A longer delay is a mistyped one. */
const MAX_DELAY_HOURS = 168;

type Deps = {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly config: Pick<Config, 'PUBLIC_URL'>;
  readonly print: (line: string) => void;
};

/** Runs the command with its arguments. Returns the exit code. */
export async function runOperator(words: readonly string[], deps: Deps): Promise<number> {
  const [name, given, ...more] = words;
  if (name === 'resets' && given === undefined) return list(deps);
  if (given === undefined || given.startsWith('-')) return WRONG_USAGE;
  const email = emailIn(given);
  if (name === 'reset') {
    const delayHours = delayIn(more);
    return delayHours === null ? WRONG_USAGE : reset(deps, email, delayHours);
  }
  return name === 'cancel-reset' && more.length === 0 ? cancel(deps, email) : WRONG_USAGE;
}

function emailIn(text: string): string {
  try {
    return checkEmail(text);
  } catch (error) {
    // Such an address has no account, which is what the caller says.
    if (error instanceof ServiceError) return '';
    throw error;
  }
}

/** Null for words that are no delay. */
function delayIn([name, hours = '', ...more]: readonly string[]): number | null {
  if (name === undefined) return DEFAULT_DELAY_HOURS;
  const isHours = name === '--delay-hours' && more.length === 0 && /^[1-9]\d{0,2}$/.test(hours);
  return isHours && Number(hours) <= MAX_DELAY_HOURS ? Number(hours) : null;
}

async function list({ pool, clock, print }: Deps): Promise<number> {
  const open = await readOpenResets(pool, clock.now());
  for (const { email, readyAt, lapsesAt } of open)
    print(`${email}: ready at ${readyAt.toISOString()}, lapses at ${lapsesAt.toISOString()}`);
  if (open.length === 0) print('No reset is open.');
  return 0;
}

async function reset({ pool, clock, config, print }: Deps, email: string, delayHours: number): Promise<number> {
  const now = clock.now();
  const completed = await completeReset({ pool, config }, { email, now });
  if (completed && 'link' in completed) {
    print(
      `The former password, second factors and sign-ins of ${email} are void. This link sets a new password, once, within an hour:`,
    );
    print(completed.link);
    print('Then sign in and set up a second factor within the same hour.');
    return 0;
  }
  if (completed) {
    print(`The reset of ${email} waits until ${completed.waitingUntil.toISOString()}. Run this again then.`);
    return 1;
  }
  const asked = await requestReset(pool, { email, delayHours, now });
  if (asked === 'unknown' || asked === 'open') {
    print(asked === 'unknown' ? 'No active operator has this address.' : `A reset of ${email} is open already.`);
    return 1;
  }
  print(`The reset of ${email} is requested. The worker alarms every operator, and each of them may cancel it.`);
  print(`Run this again from ${asked.toISOString()} on: it then prints the link.`);
  return 0;
}

async function cancel({ pool, clock, print }: Deps, email: string): Promise<number> {
  const isCanceled = await cancelResetOf(pool, { email, now: clock.now() });
  print(isCanceled ? `The reset of ${email} is canceled.` : 'No reset of this address is open.');
  return isCanceled ? 0 : 1;
}
