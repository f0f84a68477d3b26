// The signer's authorization of a deposit address. It also proves that the address belongs to the signer's wallet.

import { Refusal, type Authorization } from '@/lib/signer/client';
import { postpone } from '@/lib/sweeps/postpone';
import type { EvmRun, Ready } from './run';

const NOT_AUTHORIZED_PAUSE = 86_400;

/** Postpones an address that the signer does not have: only the other wallet can move its money. */
export async function authorizationOf(
  run: EvmRun,
  [candidate, { address, nonce }]: Ready[number],
): Promise<Authorization | 'not_authorized'> {
  const { context, evm, sweeping } = run;
  const { environment, network } = evm.spec;
  const { addressIndex: index } = candidate;
  try {
    const signed = await sweeping.signer.authorize({ environment, network, index, nonce });
    if (signed.deposit === address) return signed.authorization;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_allowed') throw error;
  }
  await postpone(run, [candidate], NOT_AUTHORIZED_PAUSE, 'not_authorized');
  context.log.error({ environment, network, address, index }, 'a deposit address is not of the wallet of the signer');
  return 'not_authorized';
}
