// Whether an address on TRON is a wallet or a contract. A contract has code, or an account of the contract type, which remains
// after the code destroyed itself.

import { z } from 'zod';
import type { AddressKind } from '@/lib/networks/sending/send';
import { requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';

/** Both are empty for an address that does not exist. Zero fields are omitted, including the type of a normal account. */
const contract = z.object({ contract_address: z.string().optional(), bytecode: z.string().optional() });
const account = z.object({ type: z.string().optional() });
const CONTRACT_TYPE = 'Contract';

/** One endpoint's current report about an address. Throws a ChainError, or an Error for text that is not an address. */
export async function tronKindOf(node: TronNode, address: string): Promise<AddressKind> {
  const hex = requestAddress(address);
  const [code, holder] = await Promise.all([
    node.client.request({ side: 'wallet', api: 'getcontract', body: { value: hex }, shape: contract }),
    node.client.request({ side: 'wallet', api: 'getaccount', body: { address: hex }, shape: account }),
  ]);
  const isContract =
    code.contract_address !== undefined || code.bytecode !== undefined || holder.type === CONTRACT_TYPE;
  return isContract ? 'contract' : 'wallet';
}
