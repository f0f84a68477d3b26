// The checks of our own wallets on the local chains: an issuer blocks one, and the permissions of an account on TRON change. The signer is
// the real one, the endpoints are the chains, and time is the test's.

import { HDNodeWallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFacts } from '@/lib/installation/alarms/facts';
import { updateAlarms } from '@/lib/installation/alarms/update';
import { ChainError } from '@/lib/networks/chain';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { openIssuerBlocks } from '@/lib/networks/families/clients';
import { checkOwnWallets, OWN_WALLETS_MILLISECONDS } from '@/lib/treasury/own-wallets/step';
import { silentLog } from '@/testing/chain-clock';
import { startColdTron, type ColdTronChain } from '@/testing/cold-storage/cold-chains';
import { newHolder, setPermissions, type KeyHolder } from '@/testing/cold-storage/tron-permissions';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openSigner } from '@/testing/refunds/refund-scene';
import { accounts, seed } from '@/testing/signer/signer-scene';
import { onChain, type OnChain } from '@/testing/sweeps/on-chain';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const [MINUTE, HOUR] = [60, 3600];
const NOWHERE = 'http://127.0.0.1:1';
const TREASURY = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const COLD = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const REFUND = accounts.of('test', 'evm').address.toLowerCase();

let db: TestDatabase;
let clock: TestClock;
beforeEach(async () => {
  db = await openTestDatabase();
  clock = new TestClock();
});
afterEach(() => db.close());

const rows = () => db.prisma.ownWallet.findMany({ where: { goneAt: null }, orderBy: { address: 'asc' } });
const contextOf = (settings: Record<string, string>) =>
  testContext(db, clock, testConfig({ TEST_CHAINS: 'local', ...settings }));
const alarms = async (context: ReturnType<typeof contextOf>) =>
  (await readFacts(context)).facts
    .filter(({ kind }) => kind.startsWith('wallet_'))
    .map(({ kind, subject }) => `${kind}: ${subject}`);
const blocksOf = (spec: NetworkSpec, url: string) =>
  openIssuerBlocks({ spec, urls: [url], needed: 1, budgets: [], clock, log: silentLog(), timeoutMs: 2000 });

describe('a wallet that an issuer blocks', () => {
  let chain: LocalNetwork;
  let others: OnChain;
  beforeAll(async () => {
    chain = await startTestEvm();
    others = onChain(chain);
  }, 60_000);
  afterAll(() => chain.stop());
  afterEach(async () => {
    for (const address of [REFUND, TREASURY, COLD]) await others.asIssuer('removeBlackList', [address]);
  });

  const context = () =>
    contextOf({
      TEST_ETHEREUM_URLS: chain.rpcUrl,
      TREASURY_WALLETS: `ethereum@local=${TREASURY}`,
      COLD_WALLETS: `ethereum@local=${COLD}`,
    });
  const open = (isBlocked = blocksOf(chain.spec, chain.rpcUrl), signer = openSigner(clock)) =>
    checkOwnWallets({ spec: chain.spec, signer: signer.calls, sender: {}, isBlocked });
  const blocked = async () =>
    Object.fromEntries((await rows()).map(({ address, roles, blocked: of }) => [`${roles.join()} ${address}`, of]));
  const NONE = { [`refund ${REFUND}`]: [], [`treasury ${TREASURY}`]: [], [`cold ${COLD}`]: [] };

  it('is found at the start and within an hour, is an alarm for each wallet, and ends once the block is lifted', async () => {
    await others.asIssuer('addBlackList', [COLD]);
    const step = open();
    await step(context());
    expect(await blocked()).toEqual({ ...NONE, [`cold ${COLD}`]: ['USDT'] });
    expect(await alarms(context())).toEqual(['wallet_blocked: test ethereum USDT cold']);
    await others.asIssuer('addBlackList', [REFUND]);
    await others.asIssuer('addBlackList', [TREASURY]);
    clock.advance(HOUR - MINUTE);
    await step(context());
    expect(await alarms(context())).toHaveLength(1);
    clock.advance(MINUTE);
    await step(context());
    expect(await alarms(context())).toEqual([
      'wallet_blocked: test ethereum USDT cold',
      'wallet_blocked: test ethereum USDT treasury',
      'wallet_blocked: test ethereum USDT refund',
    ]);
    for (const address of [REFUND, TREASURY, COLD]) await others.asIssuer('removeBlackList', [address]);
    clock.advance(MINUTE);
    await step(context());
    expect(await blocked()).toEqual(NONE);
    expect(await alarms(context())).toEqual([]);
  });

  it('stays known while its network does not answer, and a new process asks at once', async () => {
    await others.asIssuer('addBlackList', [TREASURY]);
    await open()(context());
    await others.asIssuer('removeBlackList', [TREASURY]);
    await open(blocksOf(chain.spec, NOWHERE))(context());
    expect(await alarms(context())).toEqual(['wallet_blocked: test ethereum USDT treasury']);
    await open()(context());
    expect(await alarms(context())).toEqual([]);
  });

  it('is found by one token although the other token does not answer, which is asked about again a minute later', async () => {
    let isDown = true;
    const ask = blocksOf(chain.spec, chain.rpcUrl);
    const step = open(async (contract, address) => {
      if (isDown && contract === chain.spec.tokens.USDC!.contract) throw new ChainError('unavailable', 'no answer');
      return ask(contract, address);
    });
    try {
      await others.asIssuer('addBlackList', [REFUND]);
      await others.asIssuer('blacklist', [REFUND], 'USDC');
      await step(context());
      expect((await blocked())[`refund ${REFUND}`]).toEqual(['USDT']);
      isDown = false;
      clock.advance(MINUTE - 1);
      await step(context());
      expect((await blocked())[`refund ${REFUND}`]).toEqual(['USDT']);
      clock.advance(1);
      await step(context());
      expect((await blocked())[`refund ${REFUND}`]).toEqual(['USDT', 'USDC']);
    } finally {
      await others.asIssuer('unBlacklist', [REFUND], 'USDC');
    }
  });

  it('is forgotten with its setting, but not while the signer cannot say which wallets are its own', async () => {
    const signer = openSigner(clock);
    const step = open(blocksOf(chain.spec, chain.rpcUrl), signer);
    await step(context());
    const without = contextOf({ TEST_ETHEREUM_URLS: chain.rpcUrl });
    signer.isDown = true;
    await step(without);
    expect(await blocked()).toEqual(NONE);
    signer.isDown = false;
    await step(without);
    expect(await blocked()).toEqual({ [`refund ${REFUND}`]: [] });
  });
});

describe('the permissions of an account on TRON', () => {
  let chain: ColdTronChain;
  let thief: KeyHolder;
  let own: KeyHolder;
  let signer: ReturnType<typeof openSigner>;
  let cold: Awaited<ReturnType<ColdTronChain['coldWallet']>>;
  beforeAll(async () => {
    const key = HDNodeWallet.fromSeed(seed).derivePath("m/44'/195'/1'/0/1").privateKey.slice(2);
    own = { address: accounts.of('test', 'tron').address, privateKey: key };
  });
  beforeEach(async () => {
    chain = await startColdTron();
    thief = newHolder();
    signer = openSigner(clock);
    cold = await chain.coldWallet(0n);
  }, 60_000);
  afterEach(() => chain.stop());

  const one = (key: KeyHolder) => ({ threshold: 1, keys: [[key, 1] as const] });
  const context = () => contextOf({ TEST_TRON_URLS: chain.rpcUrl, COLD_WALLETS: `tron@local=${cold.address}` });
  const open = () =>
    checkOwnWallets({
      spec: networkSpec('test', 'tron', 'local')!,
      signer: signer.calls,
      isBlocked: blocksOf(chain.spec, chain.rpcUrl),
      sender: chain.sender,
    });
  /** Runs the step as the worker does, for this many seconds. Resolves to the seconds until the signer is frozen. */
  async function run(step: ReturnType<typeof open>, seconds: number): Promise<number | null> {
    for (let passed = 0; passed <= seconds; passed += OWN_WALLETS_MILLISECONDS / 1000) {
      await step(context());
      if (signer.signer.state().frozen) return passed;
      clock.advance(OWN_WALLETS_MILLISECONDS / 1000);
    }
    return null;
  }
  const take = (of: KeyHolder, plan: { owner: KeyHolder; active: KeyHolder; by?: KeyHolder }) =>
    setPermissions(chain, of.address, {
      ...{ owner: one(plan.owner), actives: [one(plan.active)] },
      signers: [(plan.by ?? of).privateKey],
    });
  const acknowledge = async (): Promise<void> => {
    const { facts } = await readFacts(context());
    await updateAlarms(db.pool, facts, { now: clock.now(), isWhole: true });
    clock.advance(1);
    await db.pool.query(`UPDATE alarms SET acknowledged_at = $1, acknowledged_by = 'user:x'`, [clock.now()]);
  };

  it('of an own account are one key, its own, and freeze nothing', async () => {
    expect(await run(open(), 120)).toBeNull();
    expect(await rows()).toMatchObject([{ change: null }, { change: null }]);
    expect(await alarms(context())).toEqual([]);
  });

  it('stop signing within a minute when the owner permission of the refund wallet is taken over, and the reason names the new key', async () => {
    const step = open();
    await run(step, 50);
    await take(own, { owner: thief, active: own });
    const seconds = await run(step, 120);
    expect(seconds).not.toBeNull();
    expect(seconds).toBeLessThan(MINUTE);
    const { reason } = signer.signer.state();
    expect(reason).toContain(`the owner permission of our wallet ${own.address} on tron changed: ${thief.address}`);
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron owner refund']);
  });

  it('stop signing when an active permission gets another key', async () => {
    const step = open();
    await take(own, { owner: own, active: thief });
    expect(await run(step, MINUTE)).not.toBeNull();
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron active refund']);
  });

  it('let an operator resume signing once, stop it again at the next change, and end the alarm when they are as before', async () => {
    const step = open();
    await take(own, { owner: thief, active: own });
    expect(await run(step, MINUTE)).not.toBeNull();
    signer.unfreeze();
    expect(await run(step, 3 * MINUTE)).toBeNull();
    expect(await alarms(context())).toHaveLength(1);
    const other = newHolder();
    await take(own, { owner: other, active: own, by: thief });
    expect(await run(step, MINUTE)).not.toBeNull();
    expect(signer.signer.state().reason).toContain(other.address);
    await take(own, { owner: own, active: own, by: other });
    signer.unfreeze();
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual([]);
  });

  it('stop signing after the end of a freeze that has another reason', async () => {
    await signer.calls.freeze('by hand');
    await take(own, { owner: thief, active: own });
    const step = open();
    await step(context());
    expect(signer.signer.state().reason).toBe('by hand');
    expect(await alarms(context())).toHaveLength(1);
    signer.unfreeze();
    clock.advance(MINUTE);
    expect(await run(step, MINUTE)).not.toBeNull();
    expect(signer.signer.state().reason).toContain(thief.address);
  });

  it('of a cold wallet may be any at first sight; another change is an alarm until it is acknowledged or undone, and freezes nothing', async () => {
    const holder = { address: cold.address, privateKey: cold.keyFile };
    const [first, second] = [newHolder(), newHolder()];
    await take(holder, { owner: first, active: second });
    const step = open();
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual([]);
    await take(holder, { owner: first, active: thief, by: first });
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron active cold']);
    await take(holder, { owner: first, active: second, by: first });
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual([]);
    await take(holder, { owner: second, active: second, by: first });
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron owner cold']);
    await acknowledge();
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual([]);
    await take(holder, { owner: thief, active: second, by: second });
    expect(await run(step, MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron owner cold']);
  });

  it('of a cold wallet that a worker with other settings does not know are not accepted anew, and raise no alarm meanwhile', async () => {
    const holder = { address: cold.address, privateKey: cold.keyFile };
    const [first, second] = [newHolder(), newHolder()];
    await take(holder, { owner: first, active: second });
    expect(await run(open(), MINUTE)).toBeNull();
    await take(holder, { owner: thief, active: second, by: first });
    const other = contextOf({ TEST_TRON_URLS: chain.rpcUrl });
    await open()(other);
    expect(await alarms(other)).toEqual([]);
    expect(await run(open(), MINUTE)).toBeNull();
    expect(await alarms(context())).toEqual(['wallet_permissions: test tron owner cold']);
  });

  it('of an address that was never activated are none, and no alarm', async () => {
    const address = utils.accounts.generateAccount().address.base58;
    const unused = contextOf({ TEST_TRON_URLS: chain.rpcUrl, COLD_WALLETS: `tron@local=${address}` });
    await open()(unused);
    expect(await alarms(unused)).toEqual([]);
  });
});
