// What all histories of one process share, because opening it takes long: the database, the signer's socket, receivers,
// and the injected sources of randomness and time.

import type { Log } from '@/lib/platform/log';
import type { Network } from './chain/open-chain';
import { SimulatedTransport } from './chain/transport';
import { openSimulationDatabase, type SimulationDatabase } from './database';
import { openSimulatedPool, type SimulatedPool } from './faults/simulated-pool';
import { openSimulatedHook, type SimulatedHook } from './hook';
import { injectPauses } from './injected/pauses';
import { injectRandomness, type SeededRandomness } from './injected/randomness';
import { injectTimers, type ControlledTimers } from './injected/timers';
import { openSimulatedReceiver, type SimulatedReceiver } from './receivers';
import { openSimulatedSigner, type SimulatedSigner } from './signer';

/** Two for each of at most six stores. */
const RECEIVERS = 12;

export type Harness = {
  readonly database: SimulationDatabase;
  readonly pool: SimulatedPool;
  readonly signer: SimulatedSigner;
  readonly receivers: readonly SimulatedReceiver[];
  readonly hook: SimulatedHook;
  readonly transport: SimulatedTransport;
  readonly timers: ControlledTimers;
  readonly randomness: SeededRandomness;
  /** How many histories have begun. */
  readonly histories: { count: number };
  /** Absent: the product logs nothing. */
  readonly log?: Log | undefined;
  /** Absent: each history draws its networks. */
  readonly networks?: readonly Network[] | undefined;
  readonly close: () => Promise<void>;
};

/** Opens it on a server with a migrated template database. Until `close`, this process has no real time and randomness. */
export async function openHarness(
  server: string,
  template: string,
  { log, networks }: Pick<Harness, 'log' | 'networks'> = {},
): Promise<Harness> {
  const database = await openSimulationDatabase(server, template);
  const timers = injectTimers();
  const signer = await openSimulatedSigner();
  const receivers: SimulatedReceiver[] = [];
  while (receivers.length < RECEIVERS) receivers.push(await openSimulatedReceiver(timers));
  const pool = openSimulatedPool(database.pool, database.applyTime);
  const hook = await openSimulatedHook(pool);
  const transport = new SimulatedTransport(timers.expire);
  const randomness = injectRandomness();
  const restorePauses = injectPauses();
  return {
    ...{
      database,
      pool,
      signer,
      receivers,
      hook,
      transport,
      timers,
      randomness,
      histories: { count: 0 },
      log,
      networks,
    },
    close: async () => {
      restorePauses();
      randomness.restore();
      transport.restore();
      await signer.close();
      for (const receiver of receivers) await receiver.close();
      await hook.close();
      timers.restore();
      await database.close();
    },
  };
}
