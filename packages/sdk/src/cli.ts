// The command `stabletill listen --forward URL`: receives the test environment's events and posts each to a server on this
// machine, signed like a webhook, so that webhooks can be developed without a public URL. The endpoint's secret stays at the
// service; the listener signs with its own secret or with a given one.

import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeardEvent } from './events';
import { forward } from './forward';
import { Stabletill, StabletillError } from './stabletill';

const USAGE = 'Usage: npx @stabletill/sdk listen --forward http://127.0.0.1:4000/hook';
const HELP = `${USAGE}

Posts the test environment's events to a server on this machine, signed as webhooks are. An event that meets no
server is posted again after 1, 2 and 4 seconds; one that your server refused is not.

It reads from the environment:
  STABLETILL_URL                the address of the service, for example https://pay.example.com
  STABLETILL_API_KEY            a test key (ak_test_…)
  STABLETILL_API_SECRET         the secret of that key (as_test_…)
  STABLETILL_WEBHOOK_SECRET     what to sign with; without it a secret of your key, which is printed at the start
  STABLETILL_SIGNATURE_VERSION  2 for keys that require it`;

/** Seconds between tries while the service is unreachable, doubled up to the maximum. */
const [FIRST_WAIT, LAST_WAIT] = [1, 30];
/** Seconds before an event is posted again if no server answered. */
const WAITS = [1, 2, 4];

/** Throws a TypeError for a placeholder that was copied from the documentation. */
function optional(name: string): string {
  const value = process.env[name] ?? '';
  if (value.includes('…'))
    throw new TypeError(`The environment variable ${name} holds the placeholder of the documentation.`);
  return value;
}

/** Throws a TypeError that names the variable and never shows its value. */
function required(name: string, what: string): string {
  const value = optional(name);
  if (value === '')
    throw new TypeError(
      `Set the environment variable ${name} to ${what}. With the key's lines in a file .env: set -a; . ./.env`,
    );
  return value;
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const [verb, option, to = ''] = process.argv.slice(2);
  if (verb === '--help' || verb === 'help' || option === '--help') return void say(HELP);
  if (verb !== 'listen' || option !== '--forward' || !/^https?:\/\/./.test(to)) throw new TypeError(USAGE);
  const client = new Stabletill({
    baseUrl: required('STABLETILL_URL', 'the address of the service, for example https://pay.example.com'),
    apiKey: required('STABLETILL_API_KEY', 'a test key (ak_test_…)'),
    apiSecret: required('STABLETILL_API_SECRET', 'the secret of that key (as_test_…)'),
    signatureVersion: optional('STABLETILL_SIGNATURE_VERSION') === '2' ? 2 : 1,
    maxRetries: 0,
  });
  const given = optional('STABLETILL_WEBHOOK_SECRET');
  // The same at every start, so that a server that knows it need not be restarted.
  const own = createHmac('sha256', optional('STABLETILL_API_SECRET')).update('stabletill listen').digest('hex');
  const secret = given || `whsec_${own}`;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await listen(client, { to, secret, isOwn: given === '', signal: stop.signal });
  say('Stopped.');
}

type To = { readonly to: string; readonly secret: string; readonly isOwn: boolean; readonly signal: AbortSignal };

/** Runs until the signal aborts, or the service refuses permanently. */
async function listen(client: Stabletill, { to, secret, isOwn, signal }: To): Promise<void> {
  let cursor: string | undefined;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const received = await client.events.listen({ cursor }, { signal });
      if (cursor === undefined) {
        say(`Test events from now on are posted to ${to}`);
        say(isOwn ? `export STABLETILL_WEBHOOK_SECRET=${secret}` : 'Signed with STABLETILL_WEBHOOK_SECRET');
      }
      for (const event of received.data) await deliver(event, { to, secret, signal });
      cursor = received.resume_cursor;
      wait = FIRST_WAIT;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StabletillError) || isFinal(error)) throw error;
      say(`${error.message} Trying again in ${wait} s.`);
      // An aborted signal rejects the wait, and the loop ends.
      await pause(wait * 1000, null, { signal }).catch(() => {});
      wait = Math.min(LAST_WAIT, wait * 2);
    }
  }
}

/** Retries while a server is restarting. */
async function deliver(event: HeardEvent, { signal, ...to }: Omit<To, 'isOwn'>): Promise<void> {
  for (const wait of [...WAITS, null]) {
    if (signal.aborted) return;
    const { line, isAway } = await forward(event, { ...to, signal });
    const isAgain = isAway && wait !== null;
    say(isAgain ? `${line}, again in ${wait} s` : line);
    if (!isAgain) return;
    await pause(wait * 1000, null, { signal }).catch(() => {});
  }
}

/** A retry would get the same answer. */
const isFinal = ({ status }: StabletillError): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 429;

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
