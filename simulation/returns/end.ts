// The end of a history with returns from the cold wallet: the worker follows what is signed until the chain has decided.

import { followReturns } from '@/simulation/actions/returns';
import { mineAll } from '@/simulation/actions/time';
import { COLD, WALLET } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';

/** Longer together than the life of a transfer on TRON. */
const [ROUNDS, SECONDS] = [60, 180];
const BLOCKS = 6;
/** Rounds without an end, after which the operator looks for a missing nonce. */
const PATIENCE = 5;

export async function endReturns(world: World): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const { cold_returns: rows } = await readSnapshot(world.harness.database.pool);
    const open = rows.filter(({ is_signed: isSigned, outcome }) => isSigned && outcome === null);
    if (open.length === 0) return;
    if (round >= PATIENCE) for (const { id, network } of open) fillGap(world, id, network);
    world.advance(SECONDS);
    mineAll(world, () => BLOCKS);
    await followReturns(world);
  }
}

/**
 * A transfer that a restored database has forgotten, and the network too, leaves a gap before the nonce of the next one. The operator
 * uses it for a transfer of their own.
 */
function fillGap({ chains, records }: World, id: string, network: string): void {
  const chain = chains.find((one) => one.network === network);
  const nonce = records.returns.signed.find((one) => one.id === id)?.nonce ?? null;
  if (!chain || nonce === null) return;
  const { family, tokens } = chain.spec;
  const next = chain.answer({ height: chain.height() }, 'eth_getTransactionCount', [COLD[family], 'latest']);
  if (Number(next) >= nonce) return;
  const [token] = Object.values(tokens).map(({ contract }) => contract);
  const movement = { payer: COLD[family], recipient: WALLET[family], amount: 1n, needsFunds: true as const };
  records.returns.sentElsewhere.add(chain.pay({ ...movement, token: token ?? '' }));
}
