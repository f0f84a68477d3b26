// The signer's authorization of a deposit address. It also proves that the address belongs to the signer's wallet.

import { Refusal, type Authorization } from '@/lib/signer/client';
import { postpone } from '@/lib/sweeps/postpone';
import type { EvmRun, Ready } from './run';

const OTHER_WALLET_PAUSE = 86_400;

/** Postpones an address that the signer does not have: only the other wallet can move its money. */
export async function authorizationOf(
  run: EvmRun,
  [candidate, { address, nonce }]: Ready[number],
): Promise<Authorization | 'other_wallet'> {
  const { context, evm, sweeping } = run;
  const { environment, network } = evm.spec;
  const { addressIndex: index } = candidate;
  try {
    const signed = await sweeping.signer.authorize({ environment, network, index, nonce });
    if (signed.deposit === address) return signed.authorization;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_allowed') throw error;
  }
  await postpone(run, [candidate], OTHER_WALLET_PAUSE, 'other_wallet');
  context.log.error({ environment, network, address, index }, 'a deposit address is not of the wallet of the signer');
  return 'other_wallet';
}
