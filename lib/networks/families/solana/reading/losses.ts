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
        recipient: recipientOf(nets, net) ?? net.mint,
        amount,
        isPlain: gainers.length === 1 && gainers[0]?.change === amount,
      },
    ];
  });
}

const isSameToken = (one: Net, { mint, program }: Net): boolean => one.mint === mint && one.program === program;

const gainersOf = (nets: readonly Net[], loss: Net): readonly Net[] =>
  nets.filter((one) => isSameToken(one, loss) && one.change > 0n);

/**
 * The owner who gained exactly as much of the token. Otherwise the owner who gained the sum of all losses without such a gain, as in a sweep
 * of several addresses. Null if there is none: tokens were burned, or divided. A thief who gives the treasury a part
 * of what leaves must not make a sweep of it, so no gain explains more losses than it can hold.
 */
function recipientOf(nets: readonly Net[], loss: Net): string | null {
  const [gainers, losers] = [gainersOf(nets, loss), nets.filter((one) => isSameToken(one, loss) && one.change < 0n)];
  const ofAmount = (amount: bigint) => ({
    gains: gainers.filter(({ change }) => change === amount),
    losses: losers.filter(({ change }) => change === -amount),
  });
  const isPaired = (amount: bigint): boolean => {
    const { gains, losses } = ofAmount(amount);
    return losses.length > 0 && gains.length >= losses.length;
  };
  const { gains, losses } = ofAmount(-loss.change);
  if (isPaired(-loss.change)) return gains[losses.indexOf(loss)]?.owner ?? null;
  const lost = losers.filter(({ change }) => !isPaired(-change)).reduce((sum, { change }) => sum - change, 0n);
  return gainers.find(({ change }) => !isPaired(change) && change >= lost)?.owner ?? null;
}
