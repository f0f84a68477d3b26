// The command `stabletill listen --forward URL`: hears the test environment's events and posts each to a server on this machine,
// signed as webhooks are, so that webhooks are developed without a public address. The endpoint's secret stays at the service:
// a listener signs with a secret of its own, drawn and shown at its start, or with the one that it is given.

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { forward } from './forward';
import { Stabletill, StabletillError } from './stabletill';

const USAGE = `Usage: stabletill listen --forward http://127.0.0.1:4000/hook

Posts the test environment's events to a local server, signed as webhooks are.
Settings: STABLETILL_URL, STABLETILL_API_KEY (ak_test_…), STABLETILL_API_SECRET,
and STABLETILL_WEBHOOK_SECRET to sign with a secret that your server has already.`;

/** Seconds between tries while the service cannot be reached, doubled up to the last. */
const [FIRST_WAIT, LAST_WAIT] = [1, 30];

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { forward: { type: 'string' } } });
  const { STABLETILL_URL, STABLETILL_API_KEY, STABLETILL_API_SECRET, STABLETILL_WEBHOOK_SECRET } = process.env;
  if (positionals.join() !== 'listen' || !/^https?:\/\/./.test(values.forward ?? '')) throw new TypeError(USAGE);
  if (!STABLETILL_API_KEY?.startsWith('ak_test_')) throw new TypeError('STABLETILL_API_KEY must be a test key.');
  const to = new URL(values.forward as string).href;
  const client = new Stabletill({
    apiKey: STABLETILL_API_KEY,
    apiSecret: STABLETILL_API_SECRET ?? '',
    baseUrl: STABLETILL_URL ?? '',
    maxRetries: 0,
  });
  const secret = STABLETILL_WEBHOOK_SECRET || `whsec_${randomBytes(32).toString('hex')}`;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await listen(client, { to, secret, isDrawn: secret !== STABLETILL_WEBHOOK_SECRET, signal: stop.signal });
  say('Stopped.');
}

type To = { readonly to: string; readonly secret: string; readonly isDrawn: boolean; readonly signal: AbortSignal };

/** Until the signal comes, or the service refuses for good. */
async function listen(client: Stabletill, { to, secret, isDrawn, signal }: To): Promise<void> {
  let cursor: string | undefined;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const heard = await client.events.listen({ cursor }, { signal });
      if (cursor === undefined) {
        say(`Listening. Events are posted to ${to}`);
        say(isDrawn ? `Signed with ${secret}` : 'Signed with STABLETILL_WEBHOOK_SECRET');
      }
      for (const event of heard.data) if (!signal.aborted) say(await forward(event, { to, secret, signal }));
      cursor = heard.resume_cursor;
      wait = FIRST_WAIT;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StabletillError) || isFinal(error)) throw error;
      say(`${error.message} Trying again in ${wait} s.`);
      await pause(wait, signal);
      wait = Math.min(LAST_WAIT, wait * 2);
    }
  }
}

/** Asking again would be answered the same. */
const isFinal = ({ status }: StabletillError): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 429;

const pause = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
