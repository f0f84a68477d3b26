// Tries out a transaction that is not signed yet: whether the programs would accept it now, and the compute units that it needs.

import { ChainError } from '@/lib/networks/chain';
import { SendRefused, type SendHold, type SolanaDraft } from '@/lib/networks/sending/send';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { reasonOf } from './outcome';
import { simulation } from './shapes';
import { unsignedTransaction } from './write-draft';

/** Units that are paid for beyond those of the simulation. */
const [UNITS_MORE, UNITS_OF] = [130, 100];

type Tried = {
  readonly currency: string;
  /** What is thrown where the payer lacks coin. */
  readonly noCoin: () => SendHold;
};

/** The units with a margin, rounded up. Throws SendRefused if the programs refuse it, what `noCoin` makes, or a ChainError. */
export async function simulatedUnits(
  node: SolanaNode,
  draft: Pick<SolanaDraft, 'unsigned'>,
  { currency, noCoin }: Tried,
): Promise<number> {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true };
  const params = [await unsignedTransaction(draft), options];
  const { value } = await node.rpc.call({ method: 'simulateTransaction', params, shape: simulation });
  if (value.err !== null && value.err !== undefined) {
    if (/InsufficientFunds/.test(JSON.stringify(value.err))) throw noCoin();
    throw new SendRefused('reverts', `a transfer of ${currency} was tried out and failed: ${reasonOf(value.err)}`);
  }
  const { unitsConsumed = null } = value;
  if (!unitsConsumed) throw new ChainError('unavailable', `${node.name} does not report the units of a transfer`);
  return Math.ceil((unitsConsumed * UNITS_MORE) / UNITS_OF);
}
