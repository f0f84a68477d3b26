// A cold wallet on the local TRON chain that is an account with several keys, made by tronweb as its owner makes it.

import { TronWeb, utils } from 'tronweb';
import { operationsOf } from '@/sandbox/chains/tron/permissions';
import type { ContractType } from '@/sandbox/chains/tron/messages';
import type { ColdChain } from './cold-chains';

export type KeyHolder = { readonly address: string; readonly privateKey: string };

export type PermissionPlan = {
  readonly threshold: number;
  readonly keys: readonly (readonly [KeyHolder, number])[];
  /** What an active permission allows. */
  readonly allows?: readonly ContractType[];
};

export function newHolder(): KeyHolder {
  const { address, privateKey } = utils.accounts.generateAccount();
  return { address: address.base58, privateKey };
}

/** The permission as tronweb takes it. */
const written = (type: 0 | 2, { threshold, keys, allows = ['TriggerSmartContract'] }: PermissionPlan) => ({
  ...{ type, permission_name: type === 0 ? 'owner' : 'treasury', threshold },
  keys: keys.map(([{ address }, weight]) => ({ address, weight })),
  ...(type === 0 ? {} : { operations: operationsOf(allows) }),
});

/** Sets the permissions of an account, signed by keys that reach its present owner threshold. */
export async function setPermissions(
  chain: Pick<ColdChain, 'rpcUrl' | 'mine'>,
  account: string,
  plan: {
    readonly owner: PermissionPlan;
    readonly actives: readonly PermissionPlan[];
    readonly signers: readonly string[];
  },
): Promise<void> {
  const { transactionBuilder, trx } = new TronWeb({ fullHost: chain.rpcUrl });
  const actives = plan.actives.map((one) => written(2, one));
  const update = await transactionBuilder.updateAccountPermissions(account, written(0, plan.owner), undefined, actives);
  let signed: unknown = update;
  for (const key of plan.signers) signed = await trx.multiSign(signed as never, key);
  const { result, message } = await trx.sendRawTransaction(signed as never);
  if (!result) throw new Error(`the permissions were not taken: ${message}`);
  await chain.mine();
}
