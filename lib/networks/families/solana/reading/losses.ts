// What a transaction takes from one owner, without I/O: the counterpart of `gainsOf` in decode.ts. Only the balances before and after
// count, so a transfer, a burn, a closed account and an account that changed its owner are all read alike.

import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import { netsOf, type Net, type SlotTransfer, type TransactionFacts } from './decode';

/**
 * For each allow-listed token, what all the owner's accounts lost together. The ordinal is the position of the owner's first
 * account of the token, as for a gain. `isPlain` says that a single owner gained exactly this amount.
 */
export function lossesOf(spec: NetworkSpec, facts: TransactionFacts, owner: string): SlotTransfer[] {
  const nets = netsOf(facts);
  return nets.flatMap((net): SlotTransfer[] => {
    const found = net.program === TOKEN_PROGRAM ? tokenOf(spec, net.mint) : null;
    if (!found || net.owner !== owner || net.change >= 0n) return [];
    const gainers = gainersOf(nets, net);
    const amount = -net.change;
    return [
      {
        transactionHash: facts.signature,
        ordinal: net.index,
        currency: found.currency,
        contract: net.mint,
        payer: owner,
        recipient: recipientOf(gainers, net),
        amount,
        isPlain: gainers.length === 1 && gainers[0]?.change === amount,
      },
    ];
  });
}

const gainersOf = (nets: readonly Net[], loss: Net): readonly Net[] =>
  nets.filter(({ mint, program, change }) => mint === loss.mint && program === loss.program && change > 0n);

/**
 * The owner who gained exactly as much of the token, otherwise the one who gained most. If the tokens were burned, no owner gained
 * any; the recipient is then the mint.
 */
function recipientOf(gainers: readonly Net[], loss: Net): string {
  const exact = gainers.find(({ change }) => change === -loss.change);
  const most = gainers.toSorted((one, other) =>
    one.change > other.change ? -1 : one.change < other.change ? 1 : 0,
  )[0];
  return (exact ?? most)?.owner ?? loss.mint;
}
