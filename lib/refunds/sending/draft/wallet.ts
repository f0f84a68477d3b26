// The wallet that pays, and the account nonce that its next transaction must have on EVM networks.

import { firstNonceHold, stopSigning, walletHold } from '@/lib/refunds/wallet-check/gate';
import { holdOf, putOnHold, type SendingContext, type Work } from '@/lib/refunds/sending/sending-context';

type Signer = NonNullable<SendingContext['signer']>;

export type Wallet = { readonly address: string; readonly nonce: number | null };

/** The paying address with its next nonce on EVM. Null when nothing can be signed now; then the payment is on hold. */
export async function walletOf(work: Work, { calls }: Signer, address: string): Promise<Wallet | null> {
  const { spec, network, sender, environment } = work.sending;
  if (spec.family !== 'evm') return { address, nonce: null };
  // Read the chain first and the signer second. Otherwise a transaction that the signer makes in between looks like a foreign one.
  const used = await sender.nextNonce(address);
  const state = await calls.state();
  if (state.frozen) return idle(putOnHold(work, holdOf('frozen')));
  const name = `${network}@${spec.chain}`;
  const next = state.nextNonces[name];
  if (next !== undefined && used <= next) return { address, nonce: next };
  // While others are unreachable, one endpoint can invent pending transactions. A nonce that is too high, and any later one, is never
  // mined, and only a person can unfreeze the signer. So several endpoints must report what is final.
  const final = (await sender.finalNonce?.(address)) ?? used;
  const made = (await calls.state()).nextNonces[name];
  if (made === undefined && used <= final) {
    // The network may have lost a change of the allowance. The worker sends it again, and until it is final, its nonce is not free.
    const last = state.batches && (await calls.lastAllowance?.({ environment, network }));
    if (last && last.params.nonce >= final) return idle(putOnHold(work, holdOf('chain_unavailable')));
    const hold = await firstNonceHold(work, calls, { address, next: final });
    return hold ? idle(putOnHold(work, hold)) : { address, nonce: final };
  }
  if (made === undefined || final <= made) return idle(putOnHold(work, holdOf('chain_unavailable')));
  const reason = `the chain has ${final} transactions of the wallet on ${network}, and the signer made ${made}`;
  return idle(putOnHold(work, await stopSigning(work, calls, reason)));
}

/** Whether the database knows everything that the wallet signed; otherwise the payment is put on hold. */
export async function isWalletKnown(work: Work, { calls }: Signer, { address }: Wallet): Promise<boolean> {
  const hold = await walletHold(work, calls, address);
  if (hold) await putOnHold(work, hold);
  return hold === null;
}

async function idle(idling: Promise<void>): Promise<null> {
  await idling;
  return null;
}
