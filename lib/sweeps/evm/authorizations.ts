// The authorization of a deposit address, from the signer or signed in advance. It also proves that the address belongs to the wallet
// of which we have the authorizations.

import { Refusal, type Authorization } from '@/lib/signer/client';
import { postpone } from '@/lib/sweeps/postpone';
import type { Presigned } from './presigned';
import type { EvmRun, Ready } from './run';

/** Seconds. The signer gets no other wallet, and a file of authorizations may be added at any time. */
const [NOT_AUTHORIZED_PAUSE, NOT_PRESIGNED_PAUSE] = [86_400, 600];

/** Postpones an address that has no authorization: only the other wallet can move its money. */
export async function authorizationOf(
  run: EvmRun,
  [candidate, { address, nonce }]: Ready[number],
): Promise<Authorization | 'not_authorized'> {
  const { context, evm } = run;
  const { environment, network } = evm.spec;
  const { addressIndex: index } = candidate;
  const wanted = { index, nonce };
  const signed = await (evm.presigned ? fromFile(run, evm.presigned, wanted) : fromSigner(run, wanted));
  if (signed?.deposit === address) return signed.authorization;
  await postpone(run, [candidate], evm.presigned ? NOT_PRESIGNED_PAUSE : NOT_AUTHORIZED_PAUSE, 'not_authorized');
  const about = { environment, network, address, index, nonce };
  context.log.error(about, 'there is no usable authorization of a deposit address');
  return 'not_authorized';
}

type Wanted = { readonly index: number; readonly nonce: number };
type Signed = { readonly deposit: string; readonly authorization: Authorization };

async function fromSigner({ evm, sweeping }: EvmRun, wanted: Wanted): Promise<Signed | null> {
  const { environment, network } = evm.spec;
  try {
    return await sweeping.signer.authorize({ environment, network, ...wanted });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_allowed') throw error;
    return null;
  }
}

/** A damaged line keeps its own address waiting and no other one. */
async function fromFile(
  { context, evm, wallets }: EvmRun,
  presigned: Presigned,
  wanted: Wanted,
): Promise<Signed | null> {
  const { chainId, network } = evm.spec;
  if (chainId === null) throw new Error(`${network} has no chain id`);
  try {
    return await presigned.find({ chainId, address: wallets.delegate, ...wanted });
  } catch (error) {
    context.log.error(
      { err: error, network, index: wanted.index },
      'an authorization that was signed in advance cannot be used',
    );
    return null;
  }
}
