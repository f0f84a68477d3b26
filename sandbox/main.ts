// The sandbox process: local chains, webhook receiver and demo shop. It prints one line of JSON when everything is ready, runs
// until it gets a signal, and exits with an error when a chain does. `npm start` starts it; never in production.

import path from 'node:path';
import { systemClock } from '@/lib/platform/clock';
import { openLog } from '@/lib/platform/log';
import { BadDay } from './bad-day/bad-day';
import { openInstallation } from './bad-day/installation';
import { startChains } from './chains/start';
import { describeNetworks } from './describe';
import { Receiver } from './receiver/routes';
import { LocalRates } from './rates/source';
import { readRefundWallet } from './refund-wallet';
import { startServer } from './server';
import { sandboxSettings } from './settings';
import { MerchantServer } from './shop/merchant';
import { Shop } from './shop/routes';

const { port, dataDirectory, publicUrl, stopWithParent, logLevel, signerSocket } = sandboxSettings();
const log = openLog('sandbox', logLevel);

let ending = false;
const stops: (() => Promise<void>)[] = [];

/** Stops everything in the reverse order of starting. A second call is a no-op. */
async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  for (const stop of stops.toReversed()) await stop();
  process.exit(code);
}

function fail(error: Error): void {
  if (ending) return;
  log.fatal({ err: error }, 'the sandbox cannot go on');
  void end(1);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(0));
if (stopWithParent) process.stdin.once('end', () => void end(0)).resume();

async function start(): Promise<void> {
  const refundWallet = signerSocket ? await readRefundWallet(signerSocket) : undefined;
  const chains = await startChains({ directory: path.join(dataDirectory, 'chains'), refundWallet, onFault: fail });
  stops.push(chains.stop);
  const receiver = new Receiver(systemClock);
  const merchant = new MerchantServer({ publicUrl, dataDirectory, clock: systemClock });
  const shop = new Shop({ merchant, chains, inbox: receiver.inbox, publicUrl, log });
  const badDay = new BadDay({ chains, receiver, installation: openInstallation() });
  const server = await startServer(
    { chains, receiver, shop, rates: new LocalRates(systemClock), badDay, publicUrl, log },
    port,
  );
  stops.push(server.stop);
  const ready = { ready: true, origin: server.origin, networks: describeNetworks(chains) };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

await start().catch(fail);
