// Agreement on a network that is read by account: the same rule through the same endpoints. The due addresses are listed once, so
// that every endpoint reads the same ones.

import { expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import { useFaultySolana, watchOurs, wholeWindow } from '@/testing/solana/solana-faulty-pair';
import { localSolana } from '@/testing/solana/solana-scene';
import type { Watch } from '@/lib/networks/chain';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';

const { clock, faulty, good } = useFaultySolana();

function open(urls: readonly string[]) {
  const trust = { above: 0n, abovePerHour: 0n, endpoints: 2 };
  const adapter = openSolanaAdapter({ spec: localSolana, urls, trust, clock, log: silentLog(), timeoutMs: 3000 });
  let requested = 0;
  const watch: Watch = {
    ...watchOurs,
    dueAddresses: () => {
      requested += 1;
      return watchOurs.dueAddresses();
    },
  };
  return { adapter, scan: () => adapter.scan(wholeWindow(good()), watch), requested: () => requested };
}

it('credits transfers that two endpoints report alike, and lists the due addresses once', async () => {
  const { scan, requested } = open([good().url, faulty().url]);
  expect((await scan()).transfers).toHaveLength(2);
  expect(requested()).toBe(1);
  expect(faulty().calls.get('getMultipleAccounts')).toBeGreaterThan(0);
});

it('reports a contradiction if a second endpoint does not know a transfer, and doubts both', async () => {
  const mints = Object.values(localSolana.tokens).map(({ contract }) => contract);
  faulty().tamper = ({ method, params }, result) => {
    const reported = result as { value: unknown[] };
    // It must know the mints, or its identity proof would fail.
    if (mints.some((mint) => JSON.stringify(params).includes(`["${mint}"`))) return undefined;
    if (method === 'getMultipleAccounts') return { ...reported, value: reported.value.map(() => null) };
    return method === 'getTokenAccountsByOwner' ? { ...reported, value: [] } : undefined;
  };
  const { adapter, scan } = open([good().url, faulty().url]);
  await expect(scan()).rejects.toMatchObject({ fault: 'contradiction' });
  expect(adapter.endpoints.health().map(({ state }) => state)).toEqual(['failing', 'failing']);
});

it('waits if only one endpoint could be read', async () => {
  faulty().hijack = (request) => (request.socket.destroy(), true);
  const { scan } = open([good().url, faulty().url]);
  await expect(scan()).rejects.toThrow(/^payments up to block 10 wait: 2 endpoints must report the same, and 1 did/);
  faulty().hijack = () => false;
  expect((await scan()).transfers).toHaveLength(2);
});
