// On which networks and tokens the signer pays payouts in batches, and how many tokens the contract of batches may move. From its own
// settings. Pure.

import { NETWORKS, type EvmSpec, type NetworkSpec } from '@/lib/networks/networks';

/** `allowance`: base units that the contract may move until the worker raises the allowance again. */
export type BatchToken = { readonly spec: EvmSpec; readonly currency: string; readonly allowance: bigint };

const SHAPE = /^([a-z0-9-]+@[a-z]+)\/([A-Z]+)=([1-9]\d{0,11})$/;

/** Parses entries such as `ethereum@mainnet/USDT=50000`, in whole tokens. Throws an Error without any value. */
export function batchTokensOf(setting: string, table: readonly NetworkSpec[] = NETWORKS): readonly BatchToken[] {
  const entries = setting.split(/[\s,]+/).filter((entry) => entry !== '');
  const found = entries.map((entry) => {
    const [, name, currency = '', whole = ''] = SHAPE.exec(entry) ?? [];
    const spec = table.find((row) => `${row.network}@${row.chain}` === name);
    const token = spec && Object.hasOwn(spec.tokens, currency) ? spec.tokens[currency] : undefined;
    if (!spec || spec.family !== 'evm' || !token) throw new Error('needs entries such as ethereum@mainnet/USDT=50000');
    return { spec, currency, allowance: BigInt(whole) * 10n ** BigInt(token.decimals) };
  });
  const names = new Set(found.map(({ spec, currency }) => `${spec.environment} ${spec.network} ${currency}`));
  if (names.size !== found.length) throw new Error('names one token of a network twice');
  return found;
}
