// Whether an address on an EVM network is a wallet or a contract, judged by its code.

import { z } from 'zod';
import type { AddressKind } from '@/lib/networks/sending/send';
import type { EvmNode } from '@/lib/networks/families/evm/node';

const code = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase());
/** EIP-7702: a wallet that delegates to a contract's code still has its key. The code is a marker and twenty bytes. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

/** One endpoint's current report about an address. Throws a ChainError. */
export async function evmKindOf(node: EvmNode, address: string): Promise<AddressKind> {
  const found = await node.rpc.call({ method: 'eth_getCode', params: [address, 'latest'], shape: code });
  return found === '0x' || DELEGATION.test(found) ? 'wallet' : 'contract';
}
