// The table of endpoint faults and what each family makes of it.

import { expect, it } from 'vitest';
import { ENDPOINT_FAULT_NAMES, isKnownTo } from './endpoint-faults';
import { EVM_TAMPERING } from './evm-tampering';
import { SOLANA_TAMPERING } from './solana-tampering';
import { TRON_TAMPERING } from './tron-tampering';

it('each fault changes something in some family, and no family falsifies answers under an unknown name', () => {
  const families = ['evm', 'tron', 'solana'] as const;
  for (const name of ENDPOINT_FAULT_NAMES)
    expect({ name, isKnown: families.some((one) => isKnownTo(one, name)) }).toEqual({ name, isKnown: true });
  const used = [EVM_TAMPERING, TRON_TAMPERING, SOLANA_TAMPERING].flatMap((one) => Object.keys(one));
  expect(used.filter((name) => !(ENDPOINT_FAULT_NAMES as readonly string[]).includes(name))).toEqual([]);
});
