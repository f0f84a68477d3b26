// Sweeps of forwarders by a signer that has no seed of the deposit addresses: a restored database, and a contract that is missing or another
// one. Interrupted sweeps of forwarders are in sweep-tron-faults.test.ts.

import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { printHoldings } from '@/lib/ledger/reconciliation/holdings-command';
import { ChainError } from '@/lib/networks/chain';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { forwarderAddress, forwardersCreation } from '@/lib/networks/families/tron/sweeping/forwarders';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { readConfig } from '@/lib/platform/config/config';
import { openForwarderCheck } from '@/lib/sweeps/tron/forwarders';
import { openNewForwarders } from '@/lib/sweeps/tron/new-forwarders';
import { fillAddressPool } from '@/lib/treasury/wallets/address-pool';
import { AddressSourceError, areAllOf, type AddressSource } from '@/lib/treasury/wallets/address-source';
import { INDEX_LIMIT, keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { deriveRange } from '@/lib/treasury/wallets/derive-range';
import { fromEvm, readAddress, toBase58 } from '@/sandbox/chains/tron/address';
import { deployCode, deployForwarders, grantCoin } from '@/sandbox/chains/tron/sweeping';
import { seed } from '@/testing/signer/signer-scene';
import { startSceneChain, type TronScene } from '@/testing/sweeps/tron-scene';
import { SEEDLESS, TRON_PRICE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open, chain, kindsOf, expectSweptOnce } = useTronSweeps();
const openScene = (given: Parameters<typeof open>[0] = {}) => open({ ...SEEDLESS, ...given });
const newSigner = () => {
  const wallet = Wallet.createRandom();
  return { address: fromEvm(wallet.address), key: wallet.privateKey };
};
const walletsOf = (scene: TronScene) => scene.signer.sweeps.state()[0]!;

it('a database that was restored to before the sweep sweeps nothing twice', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(3);
  const { pool } = scene.db;
  await scene.sweep();
  // The backup was made before the call was planned.
  await pool.query('DELETE FROM sweep_items');
  await pool.query('DELETE FROM sweeps');
  await scene.sweep();
  await scene.makeFinal();
  await scene.rounds(3);
  for (const { address } of sessions) expect(await scene.held(address)).toBe(0n);
  const total = 3n * TRON_PRICE;
  expect([await scene.held(scene.treasury), await scene.treasuryInLedger()]).toEqual([total, total]);
  expect(scene.frozen).toEqual([]);
});

it('what somebody else flushed is booked as a sweep, and nothing is moved twice', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(2);
  await scene.sweep({ sender: { broadcast: async () => 'accepted' } });
  const [planned] = await scene.sweeps();
  expect(planned).toMatchObject({ kind: 'flush', status: 'signed' });
  // A second copy of the installation sends a call of its own, which lands first.
  await scene.db.pool.query('UPDATE sweep_items SET ended_at = now()');
  await scene.db.pool.query(`UPDATE sweeps SET ended_at = now(), status = 'lapsed'`);
  await scene.rounds(3);
  await expectSweptOnce(scene, sessions);
});

it('the list of what deposit addresses hold names contract and salt of a forwarder, which has no derivation path', async () => {
  const scene = await openScene();
  const [key] = await scene.paid(1, { from: null });
  const [forwarder] = await scene.paid(1);
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), note: () => undefined };
  await printHoldings(
    { db: scene.db.pool, clock: scene.context.clock, output },
    { spec: scene.spec, hours: 0, least: 1n },
  );
  const pathOf = (address: string) => lines.find((line) => line.includes(address))?.split(',')[1];
  expect(pathOf(key!.address)).toBe(`m/44'/195'/0'/0/${key!.index}`);
  expect(pathOf(forwarder!.address)).toBe(`forwarder ${scene.factory} 0x${forwarder!.evm.slice(2).padStart(64, '0')}`);
});

it('forwarders about which the nodes do not answer hold back no address of a key', async () => {
  const scene = await openScene({ offlineSeed: undefined });
  const keys = await scene.paid(1, { from: null });
  const forwarders = await scene.paid(2);
  const { flushEnergy } = scene.tron.chain;
  Object.assign(scene.tron.chain, { flushEnergy: () => Promise.reject(new ChainError('unavailable', 'no answer')) });
  await scene.rounds(6);
  expect(await scene.held(keys[0]!.address)).toBe(0n);
  expect(await scene.held(forwarders[0]!.address)).toBe(TRON_PRICE);
  Object.assign(scene.tron.chain, { flushEnergy });
  scene.later(61);
  await scene.rounds(3);
  await expectSweptOnce(scene, [...keys, ...forwarders]);
});

it('a forwarder that was not moved and that the nodes do not answer about does not keep the sweep open', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(3);
  const unread = sessions[1]!;
  await scene.sweep();
  await scene.issue('addBlackList', unread.address);
  await scene.makeFinal();
  const { held } = scene.tron.chain;
  let isDown = true;
  const failing: typeof held = (address, contract) =>
    isDown || address === unread.address
      ? Promise.reject(new ChainError('unavailable', 'no answer'))
      : held(address, contract);
  Object.assign(scene.tron.chain, { held: failing });
  // Without any answer the sweep waits.
  await scene.round();
  expect([await kindsOf(scene), await scene.hold()]).toEqual([['flush signed'], 'chain_unavailable']);
  isDown = false;
  await scene.round();
  expect(await kindsOf(scene)).toEqual(['flush final']);
  const more = await scene.paid(1);
  await scene.rounds(3);
  expect(await scene.held(more[0]!.address)).toBe(0n);
  expect(await scene.held(unread.address)).toBe(TRON_PRICE);
  expect(scene.frozen).toEqual([]);
});

describe('a contract of other wallets', () => {
  it('is never called, its addresses wait and are named, and the others are swept', async () => {
    const scene = await openScene();
    const stranger = newSigner();
    await grantCoin(scene.node, stranger.address);
    const { treasury: _ours, ...wallets } = walletsOf(scene);
    const theirs = await deployForwarders(scene.node, stranger, { ...wallets, treasury: toBase58(stranger.address) });
    const foreign = await scene.paid(1, { from: theirs });
    const own = await scene.paid(2);
    await scene.rounds(2);
    expect(await scene.held(foreign[0]!.address)).toBe(TRON_PRICE);
    for (const { address } of own) expect(await scene.held(address)).toBe(0n);
    const { rows } = await scene.db.pool.query('SELECT address, skip_reason FROM deposit_balances WHERE amount > 0');
    expect(rows).toEqual([{ address: foreign[0]!.address, skip_reason: 'other_factory' }]);
  });

  it('that the settings name is not called either: its code is read before', async () => {
    const stranger = newSigner();
    await grantCoin(chain(), stranger.address);
    const address = toBase58(stranger.address);
    const wallets = { treasury: address, sponsor: address, spareSponsor: toBase58(newSigner().address) };
    const theirs = await deployForwarders(chain(), stranger, wallets);
    const scene = await openScene({ forwarders: theirs });
    const [session] = await scene.paid(1);
    await scene.rounds(2);
    expect(await kindsOf(scene)).toEqual([]);
    expect(await scene.held(session!.address)).toBe(TRON_PRICE);
    expect(await scene.hold()).toBe('factory_differs');
  });

  it('does not move an address that a changed row takes for one of its forwarders', async () => {
    const scene = await openScene();
    const [session] = await scene.paid(1, { from: null });
    await scene.db.pool.query('UPDATE sessions SET tron_factory = $1', [scene.factory]);
    await scene.rounds(2);
    expect(await kindsOf(scene)).toEqual([]);
    expect(await scene.held(session!.address)).toBe(TRON_PRICE);
  });
});

type Filling = {
  readonly url?: string;
  /** Whether the pool keeps what it holds. */
  readonly isKept?: boolean;
  readonly signer?: Pick<TronScene['signer']['calls'], 'state'>;
  /** TRON_FORWARDERS, where it is not the contract alone. */
  readonly setting?: string;
};
const NO_NODE = 'http://127.0.0.1:1';
const NO_SIGNER = { state: () => Promise.reject(new AddressSourceError('unavailable', 'no answer')) };

describe('new deposit addresses', () => {
  const keys = keysFromSeed(seed);
  let highest = 50_000;
  const source: AddressSource = {
    fingerprint: async () => keys.fingerprint,
    capacity: async () => INDEX_LIMIT,
    highestIndex: async () => highest,
    addresses: async (from, count) => {
      highest = from + count - 1;
      return { fingerprint: keys.fingerprint, addresses: await deriveRange(keys, { from, count }) };
    },
    owns: async (index, requested) => areAllOf(keys.addressesAt(index), requested),
  };
  /** The pool of a scene whose settings name a contract, filled once from nothing, or from what it holds. */
  async function filled(scene: TronScene, factory: string | null, given: Filling = {}) {
    const { url = scene.node.rpcUrl, isKept = false, signer = scene.signer.calls } = given;
    const config = readConfig({
      DATABASE_URL: scene.db.url,
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      TRON_FORWARDERS: given.setting ?? (factory === null ? '' : `tron@local=${factory}`),
      TREASURY_WALLETS: `tron@local=${scene.treasury}`,
      ADDRESS_POOL_SIZE: '20',
      TEST_TRON_URLS: url,
      TEST_CHAINS: 'local',
    });
    const context = { ...scene.context, config };
    const spec = networkSpec('test', 'tron', 'local') as NetworkSpec;
    const adapter = openTronAdapter({ ...context, spec, urls: [url], timeoutMs: 5000 });
    const followed = { environment: 'test' as const, network: 'tron', spec, adapter };
    if (!isKept) await scene.db.pool.query('DELETE FROM address_pool');
    const fill = fillAddressPool(source, openNewForwarders(context, [followed], signer));
    await fill(context);
    const { rows } = await scene.db.pool.query<{ evm: string; tron: string; index: number; factory: string | null }>(
      `SELECT address_index AS index, evm_address AS evm, tron_address AS tron, tron_factory AS factory
       FROM address_pool ORDER BY address_index`,
    );
    return rows;
  }
  const areKeys = (rows: Awaited<ReturnType<typeof filled>>) =>
    rows.length > 0 &&
    rows.every(({ index, tron, factory }) => factory === null && keys.addressesAt(index).tron === tron);

  it('are forwarders of the contract, derived again by their source, and of keys where no setting names one', async () => {
    const scene = await openScene();
    const factory = scene.factory!;
    const rows = await filled(scene, factory);
    expect(rows).toHaveLength(20);
    for (const { index, evm, tron, factory: from } of rows) {
      expect([from, tron]).toEqual([factory, forwarderAddress(factory, evm)]);
      expect(evm).toBe(keys.addressesAt(index).evm);
      expect(areAllOf(keys.addressesAt(index), [evm, tron], [factory])).toBe(true);
      expect(areAllOf(keys.addressesAt(index), [tron])).toBe(false);
      expect(areAllOf(keys.addressesAt(index + 1), [tron], [factory])).toBe(false);
    }
    expect(areKeys(await filled(scene, null))).toBe(true);
  });

  it('are those of keys while the contract is missing, is another one, or is not the signer’s', async () => {
    const scene = await openScene();
    const nothing = toBase58(newSigner().address);
    const other = await openScene({ forwarders: nothing, treasury: scene.treasury });
    expect(areKeys(await filled(other, nothing))).toBe(true);
    const { treasury: _ours, ...wallets } = walletsOf(scene);
    const payer = { address: readAddress(scene.node.payer.address)!, key: `0x${scene.node.payer.privateKey}` };
    const theirs = await deployForwarders(scene.node, payer, { ...wallets, treasury: nothing });
    // The settings of the service name it, and those of the signer do not.
    expect(areKeys(await filled(scene, theirs))).toBe(true);
    // Both name it.
    expect(areKeys(await filled(await openScene({ forwarders: theirs, treasury: scene.treasury }), theirs))).toBe(true);
    expect(areKeys(await filled(scene, scene.factory))).toBe(false);
  });

  it('are those of keys while no node says what is at the address, and forwarders once one does', async () => {
    const scene = await openScene();
    expect(areKeys(await filled(scene, scene.factory, { url: NO_NODE }))).toBe(true);
    expect(areKeys(await filled(scene, scene.factory))).toBe(false);
  });

  it('leave the pool when the settings name another contract, keys or nothing, also while the signer does not answer', async () => {
    const scene = await openScene();
    const former = scene.factory!;
    const changed = (factory: string | null, given: Filling = {}) => filled(scene, factory, { ...given, isKept: true });
    for (const given of [{ setting: '' }, { setting: `tron@local=keys,tron@local=${former}` }]) {
      for (const signer of [scene.signer.calls, NO_SIGNER]) {
        expect(areKeys(await filled(scene, former))).toBe(false);
        expect(areKeys(await changed(null, { ...given, signer }))).toBe(true);
      }
    }
    const payer = { address: readAddress(scene.node.payer.address)!, key: `0x${scene.node.payer.privateKey}` };
    const next = await deployForwarders(scene.node, payer, walletsOf(scene));
    expect(areKeys(await filled(scene, former))).toBe(false);
    // The signer still names the former one.
    expect(areKeys(await changed(next))).toBe(true);
    await filled(scene, former);
    const both = await openScene({ forwarders: next, treasury: scene.treasury });
    const rows = await filled(both, next, { isKept: true });
    expect(rows).toHaveLength(20);
    for (const { evm, tron, factory } of rows) expect([factory, tron]).toEqual([next, forwarderAddress(next, evm)]);
    // The settings of the service name it, and those of the signer do not any more.
    expect(areKeys(await changed(next))).toBe(true);
  });

  it('stay in the pool while the signer or the network does not answer', async () => {
    const scene = await openScene();
    const rows = await filled(scene, scene.factory);
    expect(areKeys(rows)).toBe(false);
    expect(await filled(scene, scene.factory, { isKept: true, signer: NO_SIGNER })).toEqual(rows);
    expect(await filled(scene, scene.factory, { isKept: true, url: NO_NODE })).toEqual(rows);
    expect(await filled(scene, scene.factory, { isKept: true })).toEqual(rows);
  });

  it('are none of the contract on a second chain, where a stranger has claimed its address', async () => {
    const scene = await openScene();
    const factory = scene.factory!;
    const second = await startSceneChain();
    try {
      // On the second chain the same address has code that obeys the stranger.
      const stranger = newSigner();
      await grantCoin(second, stranger.address);
      const own = toBase58(stranger.address);
      const theirs = await deployCode(
        second,
        stranger,
        forwardersCreation({ treasury: own, sponsor: own, spareSponsor: toBase58(newSigner().address) }),
      );
      await second.chain.exclusively(async () => {
        const { createAddressFromString } = await import('@ethereumjs/util');
        const at = (address: string) => createAddressFromString(`0x${readAddress(address)!.slice(2)}`);
        await second.chain.state.putCode(at(factory), await second.chain.state.getCode(at(theirs.address)));
      });
      const there = await openScene({ chain: second, forwarders: factory, treasury: scene.treasury });
      expect(areKeys(await filled(there, factory))).toBe(true);
      const [session] = await there.paid(1);
      await there.rounds(2);
      expect(await kindsOf(there)).toEqual([]);
      expect(await there.held(session!.address)).toBe(TRON_PRICE);
    } finally {
      await second.stop();
    }
    // On the first chain nothing changed.
    expect(areKeys(await filled(scene, factory))).toBe(false);
  }, 60_000);
});

describe('the code of a contract', () => {
  const at = { now: 0 };
  const clock = { now: () => new Date(at.now) };
  const check = (answers: (string | ChainError)[]) => {
    const code = async () => {
      const next = answers.shift();
      if (next === undefined || next instanceof ChainError) throw next ?? new Error('read too often');
      return next;
    };
    return openForwarderCheck({ code }, clock);
  };

  it('is read again hourly, and a minute after it was another one', async () => {
    const scene = await openScene();
    const wallets = walletsOf(scene);
    const good = await scene.tron.chain.code(scene.factory!);
    const isOurs = check([good, '00', good]);
    expect(await isOurs(scene.factory!, wallets)).toBe(true);
    at.now += 3_599_000;
    expect(await isOurs(scene.factory!, wallets)).toBe(true);
    at.now += 2000;
    expect(await isOurs(scene.factory!, wallets)).toBe(false);
    at.now += 30_000;
    expect(await isOurs(scene.factory!, wallets)).toBe(false);
    at.now += 31_000;
    expect(await isOurs(scene.factory!, wallets)).toBe(true);
  });

  it('that was right before counts while no node answers, and another one never does', async () => {
    const scene = await openScene();
    const wallets = walletsOf(scene);
    const down = () => new ChainError('unavailable', 'no answer');
    const good = await scene.tron.chain.code(scene.factory!);
    const isOurs = check([down(), good, down(), '', down()]);
    await expect(isOurs(scene.factory!, wallets)).rejects.toThrow('no answer');
    expect(await isOurs(scene.factory!, wallets)).toBe(true);
    at.now += 3_601_000;
    expect(await isOurs(scene.factory!, wallets)).toBe(true);
    expect(await isOurs(scene.factory!, wallets)).toBe(false);
    at.now += 61_000;
    await expect(isOurs(scene.factory!, wallets)).rejects.toThrow('no answer');
  });
});
