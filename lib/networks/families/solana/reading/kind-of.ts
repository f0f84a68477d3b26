// Whether an address on Solana is a person's wallet, told by the account there. Programs, their accounts and token accounts
// belong to a program; an address off the curve has no key of its own (chains.md 3.3).

import { ChainError } from '@/lib/networks/chain';
import type { AddressKind } from '@/lib/networks/sending/send';
import { isOnCurve, keyBytes } from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { SYSTEM_PROGRAM } from '@/lib/networks/families/solana/sending/draft';
import { sendAccounts } from '@/lib/networks/families/solana/sending/shapes';

/** What one endpoint says of an address now. Throws a ChainError; an Error for text that is no address. */
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
  // What belongs to the system program and holds data is a nonce account, whose key nobody keeps for receiving.
  return account.owner === SYSTEM_PROGRAM && account.data.length === 0 ? 'wallet' : 'contract';
}
