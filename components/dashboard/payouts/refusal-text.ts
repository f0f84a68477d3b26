'use client';
// The sentence for a refused payout address: the field, what is wrong, and what to do.

import { useWords, type MessageKey } from '@/components/ui/words';

type Refusal = {
  readonly code: string;
  /** The kind of network that the address belongs to. */
  readonly looksLike?: string;
  readonly address?: string;
  /** The address of the store that it looks like. */
  readonly other?: string;
};
export type Refused = { readonly refused: Refusal };

const KINDS: Readonly<Record<string, string>> = { evm: 'EVM, 0x…', tron: 'TRON, T…', solana: 'Solana' };

export function useRefusalText(): (refusal: Refusal) => string {
  const { t } = useWords();
  return ({ code, looksLike = '', address = '', other = '' }) => {
    const key = `padFault_${code}` as MessageKey;
    if (!t.has(key)) return t('fault_internal_error');
    return t(key as 'padFault_look_alike', { kind: KINDS[looksLike] ?? looksLike, address, other });
  };
}
