// Whether an address on Solana is a wallet, judged by its account. Programs, their accounts and token accounts belong to a
// program; an address off the curve has no key.

import { ChainError } from '@/lib/networks/chain';
import type { AddressKind } from '@/lib/networks/sending/send';
import { isOnCurve, keyBytes } from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { SYSTEM_PROGRAM } from '@/lib/networks/families/solana/address';
import { sendAccounts } from '@/lib/networks/families/solana/sending/shapes';

/** One endpoint's current report about an address. Throws a ChainError, or an Error for text that is not an address. */
export async function solanaKindOf(node: SolanaNode, address: string): Promise<AddressKind> {
  const bytes = keyBytes(address);
  if (!bytes) throw new Error('not a Solana address');
  if (!isOnCurve(bytes)) return 'contract';
  const params = [[address], { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  const [account] = value;
  if (account === undefined || value.length !== 1) {
    throw new ChainError('contradiction', `${node.name} answered for ${value.length} accounts instead of one`);
  }
  if (account === null) return 'wallet';
  // An account of the system program that holds data is a nonce account, which is not used to receive payments.
  return account.owner === SYSTEM_PROGRAM && account.data.length === 0 ? 'wallet' : 'contract';
}
