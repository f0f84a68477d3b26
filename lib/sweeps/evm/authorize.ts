// The authorizations of a batch: each deposit address that runs no code yet delegates to the signer's contract, once.

import type { Authorization } from '@/lib/networks/families/evm/sweeping/sweep-transaction';
import { Refusal } from '@/lib/signer/client';
import { postpone } from './foreign';
import type { EvmRun, Ready } from './run';

export type Authorized = { readonly ready: Ready; readonly authorizations: readonly Authorization[] };

/** Seconds until the signer is asked again for an address that it refuses, for example because it never gave that address. */
const REFUSED_PAUSE = 86_400;

/**
 * Those of the addresses that can be swept, with the authorizations that are missing. An address that the signer refuses is
 * postponed and stops no other one. Throws a Refusal while the signer is frozen.
 */
export async function authorize(run: EvmRun, ready: Ready): Promise<Authorized> {
  const { context, evm, sweeping } = run;
  const { environment, network } = evm.spec;
  const authorizations: Authorization[] = [];
  const refused = new Set<string>();
  for (const [{ addressIndex: index, address }, { delegate, nonce }] of ready) {
    if (delegate === run.wallets.delegate) continue;
    try {
      const signed = await sweeping.signer.authorize({ environment, network, index, nonce });
      if (signed.deposit === address) authorizations.push(signed.authorization);
      else refused.add(address);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'frozen') throw error;
      refused.add(address);
    }
  }
  if (refused.size === 0) return { ready, authorizations };
  const left = ready.filter(([{ address }]) => refused.has(address));
  await postpone(run, left, REFUSED_PAUSE, 'not_authorized');
  const about = { environment, network, addresses: [...refused] };
  context.log.error(about, 'the signer authorizes no sweep of deposit addresses that the database has');
  return { ready: ready.filter(([{ address }]) => !refused.has(address)), authorizations };
}
