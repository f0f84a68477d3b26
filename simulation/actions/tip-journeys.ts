// A theft from a deposit address is stopped before it is final: the worker reads the newest blocks, and asks the signer to freeze.

import type { Action, Scene } from './action';
import { unixNow } from './action';
import { CUSTOMERS } from '@/simulation/parties';
import type { SimulatedChain } from '@/simulation/chain/chain';
import type { World } from '@/simulation/world';
import { NO_ORDER, openPaidOrder } from './orders';
import { steal } from './outflows';
import { runSome } from './product';

const GUARD = /^guard the wallets /;
/** Each endpoint reads in its turn, and the others are asked at once. */
const READINGS = 3;

async function stopsTheft(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  const { signer } = world.harness;
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), {
    amount: BigInt(random.int(100, 900)),
  });
  if (!order) return NO_ORDER;
  const { chain } = order.means;
  const theft = steal({ ...scene, world: { ...world, chains: [chain] } });
  if (!theft) return 'nothing can be stolen';
  const isStored = await isKnown(world, chain);
  world.advance(5);
  if (!world.halted.has(chain.network)) chain.mine(unixNow(world));
  const block = chain.transfers(chain.height()).find(({ hash }) => hash === theft.hash)?.blockNumber;
  const isAtTip = block !== undefined && block > chain.final();
  const isWell =
    isStored &&
    !signer.isDown &&
    signer.frozen() === null &&
    world.harness.pool.server() === 'well' &&
    world.endpoints.every((one) => one.chain !== chain || one.fault === null);
  for (let reading = 0; reading < READINGS; reading++) {
    world.advance(20);
    await runSome(world, GUARD);
  }
  const reason = signer.frozen();
  if (isAtTip && isWell && reason === null) throw new Error(`${theft.says}, and signing goes on`);
  return `${theft.says}; the signer ${reason === null ? 'signs' : `is frozen (${reason})`}`;
}

/** Whether the worker can see the last theft. On Solana it reads only accounts whose money it has stored. */
async function isKnown({ harness, records }: World, { spec }: SimulatedChain): Promise<boolean> {
  if (spec.family !== 'solana') return true;
  const owners = records.outflows.at(-1)?.moved.map(({ address }) => address);
  const { rowCount } = await harness.database.pool.query(
    'SELECT FROM account_cursors WHERE owner = ANY($1) AND amount > 0',
    [owners],
  );
  return rowCount !== 0;
}

export const TIP_JOURNEYS: readonly Action[] = [
  { name: 'a theft is stopped near the tip', weight: 8, act: stopsTheft },
];
