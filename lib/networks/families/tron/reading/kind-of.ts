// Whether an address on TRON is a person's wallet or a contract. A contract is known by its code, and by the type of its
// account, which stays when the code has destroyed itself (chains.md 3.2).

import { z } from 'zod';
import type { AddressKind } from '@/lib/networks/sending/send';
import { requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';

/** Both are empty for what does not exist; fields that are zero are left out, and so is the type of a usual account. */
const contract = z.object({ contract_address: z.string().optional(), bytecode: z.string().optional() });
const account = z.object({ type: z.string().optional() });
const CONTRACT_TYPE = 'Contract';

/** What one endpoint says of an address now. Throws a ChainError; an Error for text that is no address. */
export async function tronKindOf(node: TronNode, address: string): Promise<AddressKind> {
  const hex = requestAddress(address);
  const [code, holder] = await Promise.all([
    node.client.ask({ side: 'wallet', api: 'getcontract', body: { value: hex }, shape: contract }),
    node.client.ask({ side: 'wallet', api: 'getaccount', body: { address: hex }, shape: account }),
  ]);
  const isContract =
    code.contract_address !== undefined || code.bytecode !== undefined || holder.type === CONTRACT_TYPE;
  return isContract ? 'contract' : 'wallet';
}
