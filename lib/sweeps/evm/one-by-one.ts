// Sweeps where no endpoint takes EIP-7702: the sponsor gives an address the coin for one transfer, and the address sends its tokens.

import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { isRevert } from '@/lib/networks/families/evm/sending/obstacles';
import { skipAddresses } from '@/lib/sweeps/postpone';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { movable, type Candidate } from '@/lib/sweeps/rules';
import { authorizationOf } from './authorizations';
import { countedFees, startInBudget, type EvmPlanned } from './budget';
import type { Evm, EvmRun, Ready } from './run';

const [GAS_MORE, GAS_OF] = [125n, 100n];
/** Addresses in one run. */
const AT_ONCE = 10;

export async function sweepAlone(
  run: EvmRun,
  { ready, contract, prices }: { readonly ready: Ready; readonly contract: string; readonly prices: Prices },
): Promise<SweepHold | null> {
  const { wallets, evm } = run;
  // Each address would have to sign its own transfer.
  if (evm.presigned) return 'keys_offline';
  let hasToppedUp = false;
  let spent = 0n;
  const start = async (sweep: EvmPlanned): Promise<SweepHold | null> => {
    const hold = await startInBudget(run, sweep, spent);
    spent += countedFees(run, sweep);
    return hold;
  };
  for (const [candidate, state] of ready.slice(0, AT_ONCE)) {
    const { address, held, coin, nonce } = state;
    const amount = movable(candidate, held, run.isScreened);
    // A top-up goes to the address that the signer derives, so an address of another wallet would never have enough.
    if ((await authorizationOf(run, [candidate, { ...state, nonce: 0 }])) === 'not_authorized') continue;
    const gas = await gasOf(run, candidate, { from: address, to: wallets.treasury, contract, amount });
    if (gas === null) continue;
    const gasLimit = (gas * GAS_MORE) / GAS_OF;
    const missing = gasLimit * prices.maxFeePerGas - coin;
    const common = { ...prices, currency: candidate.currency, items: [candidate] };
    const { addressIndex: index } = candidate;
    if (missing <= 0n) {
      const request = { kind: 'transfer' as const, index, contract, amount: amount.toString() };
      const hold = await start({ ...common, sender: address, nonce, gasLimit, request });
      if (hold) return hold;
    } else if (!hasToppedUp) {
      // The next one waits until this one is in a block.
      hasToppedUp = true;
      const planned = await planTopUp(run, { ...common, index, address, amount: missing });
      const hold = planned === 'sponsor_low' ? planned : await start(planned);
      if (hold) return hold;
    }
  }
  return null;
}

/** Gas of a transfer. Null when the token refuses it; then the address is skipped. */
async function gasOf(
  run: EvmRun,
  candidate: Candidate,
  transfer: Parameters<Evm['chain']['transferGas']>[0],
): Promise<bigint | null> {
  try {
    return await run.evm.chain.transferGas(transfer);
  } catch (error) {
    if (!isRevert(error)) throw error;
    await skipAddresses(run, [candidate], 'refused');
    return null;
  }
}

type TopUp = Pick<EvmPlanned, 'currency' | 'items' | 'maxFeePerGas' | 'maxPriorityFeePerGas'> & {
  readonly index: number;
  readonly address: string;
  /** Wei. */
  readonly amount: bigint;
};

async function planTopUp(
  run: EvmRun,
  { index, address, amount, ...common }: TopUp,
): Promise<EvmPlanned | 'sponsor_low'> {
  const { evm, wallets } = run;
  const gas = await evm.chain.gas({ from: wallets.active, to: address, data: '0x' });
  const gasLimit = (gas * GAS_MORE) / GAS_OF;
  if ((await evm.chain.coin(wallets.active)) < gasLimit * common.maxFeePerGas + amount) return 'sponsor_low';
  const nonce = await evm.sender.nextNonce(wallets.active);
  const request = { kind: 'top_up' as const, index, amount: amount.toString() };
  return { ...common, sender: wallets.active, nonce, gasLimit, request };
}
