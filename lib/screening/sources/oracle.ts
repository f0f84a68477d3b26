// Asks the sanctions oracle of Chainalysis on an EVM chain, by the endpoints that the installation already uses.

import { z } from 'zod';
import { openEvmSendNodes } from '@/lib/networks/families/evm/sending/nodes';
import type { SendingOptions } from '@/lib/networks/registry';
import { ChainError } from '@/lib/networks/chain';
import type { Answer } from './answer';

/** Selector of isSanctioned(address). */
const IS_SANCTIONED = '0xdf592f7d';
/** A boolean as one word. A node answers a call to an address without code with no data, which is refused here. */
const flag = z.string().regex(/^0x0{63}[01]$/);

export type Oracle = (address: string) => Promise<Answer>;

/**
 * Either answer needs as many endpoints as a final payment, and a clear one needs that no endpoint reports a hit. So one lying endpoint
 * clears nothing, and stores no hit, which only people could release: it makes addresses wait. Throws an Error for an unusable endpoint
 * URL.
 */
export function openOracle(contract: string, options: SendingOptions): Oracle {
  const endpoints = openEvmSendNodes(options);
  return async (address) => {
    const data = `${IS_SANCTIONED}${address.slice(2).padStart(64, '0')}`;
    const call = { method: 'eth_call', params: [{ to: contract, data }, 'latest'], shape: flag };
    try {
      const flags = await endpoints.all((node) => node.rpc.call(call));
      const hits = flags.filter((word) => word.endsWith('1')).length;
      if (flags.length < endpoints.needed)
        return {
          verdict: 'unknown',
          reason: `${flags.length} of ${endpoints.needed} endpoints answered for the oracle`,
        };
      if (hits >= endpoints.needed) return { verdict: 'hit', entity: 'Chainalysis sanctions oracle' };
      if (hits === 0) return { verdict: 'clear' };
      return { verdict: 'unknown', reason: `${hits} of ${flags.length} endpoints report a hit of the oracle` };
    } catch (error) {
      if (error instanceof ChainError) return { verdict: 'unknown', reason: 'no endpoint answers for the oracle' };
      throw error;
    }
  };
}
