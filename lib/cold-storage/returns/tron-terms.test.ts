// Which permission of a TRON account signs a return, by what the chain reports of it.

import { describe, expect, it } from 'vitest';
import type { ChainSender, TronPermission } from '@/lib/networks/sending/send';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { ReturnChain } from './rows';
import { hasTronTerms, readTronTerms } from './tron-terms';

const COLD = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const OTHERS = ['TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx'];
const others = OTHERS.map((address) => ({ address, weight: 1 }));

const permission = (id: number, change: Partial<TronPermission> = {}): TronPermission => ({
  ...{ id, threshold: 2, moves: true, keys: others },
  ...change,
});
const on = (network: string, permissions: readonly TronPermission[] | null): ReturnChain => ({
  ...{ chainId: 1, environment: 'live', spec: networkSpec('live', network, 'public') as NetworkSpec },
  sender: (permissions ? { permissions: async () => permissions } : {}) as unknown as ChainSender,
});
const chosen = (permissions: readonly TronPermission[], named: number | null = null) =>
  readTronTerms(on('tron', permissions), COLD, named);
const terms = (id: number) => ({ kind: 'tron-permission' as const, id, threshold: 2, keys: others });

describe('the permission of a request', () => {
  const own = permission(0, { threshold: 1, keys: [{ address: COLD, weight: 1 }] });

  it('is none while the account’s own key suffices, and for an account that was never activated', async () => {
    expect(await chosen([own, permission(2)])).toBeNull();
    expect(await chosen([])).toBeNull();
  });

  it('is the first active one that may move tokens when its own key does not suffice', async () => {
    const weak = permission(0, { keys: [{ address: COLD, weight: 1 }, ...others] });
    expect(await chosen([weak, permission(2, { moves: false }), permission(3), permission(4)])).toEqual(terms(3));
  });

  it('is that of the owner when no active one may move tokens', async () => {
    expect(await chosen([permission(0), permission(2, { moves: false })])).toEqual(terms(0));
  });

  it('is the one that the operator names, and no other', async () => {
    expect(await chosen([own, permission(2)], 2)).toEqual(terms(2));
    await expect(chosen([own, permission(2)], 3)).rejects.toThrow('has no permission 3');
    await expect(chosen([own, permission(2, { moves: false })], 2)).rejects.toThrow('lack TriggerSmartContract');
    await expect(readTronTerms(on('solana', null), COLD, 2)).rejects.toThrow('Accounts on solana have no permissions');
    expect(await readTronTerms(on('solana', null), COLD, null)).toBeNull();
  });

  it('is refused when a request cannot name its keys', async () => {
    const heavy = permission(0, { keys: [{ address: OTHERS[0]!, weight: 2 ** 52 }] });
    await expect(chosen([heavy])).rejects.toThrow('larger weights');
  });
});

describe('before signatures are stored', () => {
  const has = (permissions: readonly TronPermission[], id: number | null) =>
    hasTronTerms(on('tron', permissions), COLD, id === null ? null : terms(id));

  it('the account still has the permission of the request, with the same keys, weights and contracts', async () => {
    const before = [permission(0), permission(2)];
    expect(await has(before, 2)).toBe(true);
    const [first, second] = others;
    for (const change of [
      { threshold: 1 },
      { moves: false },
      { keys: [first!] },
      { keys: [second!, first!] },
      { keys: [first!, { ...second!, weight: 2 }] },
    ])
      expect([change, await has([permission(0), permission(2, change)], 2)]).toEqual([change, false]);
    expect(await has([permission(0)], 2)).toBe(false);
  });

  it('a plain account still has its own key', async () => {
    const own = { address: COLD, weight: 1 };
    expect(await has([permission(0, { threshold: 1, keys: [own] })], null)).toBe(true);
    expect(await has([permission(0, { keys: [own, ...others] })], null)).toBe(false);
  });
});
