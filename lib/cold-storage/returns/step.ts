// The worker's step that follows signed returns of the cold wallet, so that one whose command was interrupted is broadcast, and booked
// when it is final. It costs one lookup while none is open.

import { openSender } from '@/lib/networks/families/clients';
import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { followedChain } from '@/lib/refunds/sending/follow/followed-chain';
import { followReturns } from './follow';
import type { ReturnChain } from './rows';

type Opening = ChainDeps & Pick<Context, 'config'>;

/** Opens the returns of a followed chain: null while its endpoints do not serve the chain that is followed. */
export function openReturns(
  context: Opening,
  chain: FollowedChain,
): (on: Pick<Context, 'pool'>) => Promise<ReturnChain | null> {
  const { environment, network, spec, adapter } = chain;
  const sender = openSender(sendingOptions(context.config, context, chain));
  return async (on) => {
    const chainId = await followedChain(on, { environment, network, genesis: () => adapter.genesis() });
    return chainId === null ? null : { chainId, environment, spec, sender };
  };
}

/** The step over all followed chains. */
export function returnsStep(context: Opening, chains: readonly FollowedChain[]): Step {
  const opened = chains.map((chain) => ({ ...chain, open: openReturns(context, chain) }));
  return async (on) => {
    const open = await readOpen(on);
    const failures: unknown[] = [];
    for (const chain of opened.filter((one) => open.some((row) => isOf(row, one)))) {
      // What stops one network does not stop the others.
      await followOn(on, chain.open).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return { more: false };
  };
}

async function followOn(on: Context, open: ReturnType<typeof openReturns>): Promise<void> {
  const returns = await open(on);
  if (returns) await followReturns(on, returns);
}

type Named = { readonly environment: Environment; readonly network: string };
const isOf = (row: Named, chain: Named): boolean =>
  row.environment === chain.environment && row.network === chain.network;

async function readOpen({ pool }: Context): Promise<readonly Named[]> {
  const { rows } = await pool.query<Named>({
    name: 'cold-returns-open',
    text: `SELECT DISTINCT environment, network FROM cold_returns
           WHERE (signed_at IS NOT NULL OR account->>'kind' = 'safe') AND ended_at IS NULL`,
  });
  return rows;
}
