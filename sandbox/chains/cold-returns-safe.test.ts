// Money comes back from a cold wallet that is a Safe, by the contracts that Safe has published on a local EVM chain: two of three owners
// sign offline and an executor sends it, or the owners execute it in the Safe web app. Once, to the refund wallet, and booked once.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AbiCoder, id, Interface } from 'ethers';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { rewritten } from '@/testing/cold-storage/request-files';
import { deploySafe, type TestSafe } from '@/testing/cold-storage/safes';
import { startColdEvm, type ColdChain } from '@/testing/cold-storage/cold-chains';
import { followReturns } from '@/lib/cold-storage/returns/follow';
import { openSender } from '@/lib/networks/families/clients';
import { silentLog } from '@/testing/chain-clock';
import { Refusal, startLyingEndpoint, type Lie } from './lying-endpoint';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

const HELD = 1000_00n;
const token = new Interface(['function transfer(address to, uint256 value)']);

describe.each(['ethereum', 'bsc'])('a Safe on %s', (network) => {
  let chain: ColdChain;
  let db: TestDatabase;
  let safe: TestSafe;
  let scene: ReturnScene;
  let before: bigint;
  beforeAll(async () => void (chain = await startColdEvm(network)), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    db = await openTestDatabase();
    safe = await deploySafe(chain.rpcUrl);
    await chain.fund(safe.address, HELD);
    scene = await openReturnScene({ db, ...chain, cold: { address: safe.address, keyFile: 'none' } });
    for (const [index, { keyFile }] of safe.owners.entries()) scene.files.set(`owner${index + 1}`, keyFile);
    scene.files.set('executor', safe.executor.keyFile);
    await scene.hasCold(600_00n);
    before = await chain.held(scene.refund);
  }, 60_000);
  afterEach(async () => {
    safe.close();
    await db.close();
  });

  const mining = { pause: () => chain.mine() };
  const came = async () => (await chain.held(scene.refund)) - before;
  const request = (amount: string, name = 'request', executor: string | null = safe.executor.address) =>
    scene.online([
      ...['request', chain.spec.network, 'USDT', amount, '--out', name],
      ...(executor === null ? [] : ['--executor', executor]),
    ]);
  /** Signs with one key; the files of the others are known to it. */
  const sign = (key: string, others: readonly string[] = [], name = 'request') =>
    scene.offline([
      ...['sign', name, '--to', scene.refund, '--key-file', key, '--out', `${name}.${key}`],
      ...others.flatMap((other) => ['--signed', `${name}.${other}`]),
    ]);
  /** Requested and signed by two owners and the executor. */
  async function signed(amount = '250.5', name = 'request'): Promise<string> {
    expect(await request(amount, name)).toMatchObject({ code: 0 });
    expect(await sign('owner1', [], name)).toMatchObject({ code: 0 });
    expect(await sign('owner3', ['owner1'], name)).toMatchObject({ code: 0 });
    expect(await sign('executor', ['owner3'], name)).toMatchObject({ code: 0 });
    return `${name}.executor`;
  }
  const send = (...files: readonly string[]) => scene.online(['send', ...files], mining);
  const transferCall = (cents: bigint, to = scene.refund) => ({
    to: chain.spec.tokens.USDT!.contract,
    data: token.encodeFunctionData('transfer', [to, cents * 10n ** BigInt(chain.spec.tokens.USDT!.decimals - 2)]),
  });
  /** Works through an endpoint that changes answers. */
  async function through<T>(
    lie: Lie,
    work: (over: { readonly chain: ReturnScene['chain'] }) => Promise<T>,
  ): Promise<T> {
    const { url, stop } = await startLyingEndpoint(chain.rpcUrl, lie);
    const options = { spec: chain.spec, urls: [url], needed: 1, clock: chain.clock, log: silentLog(), timeoutMs: 5000 };
    try {
      return await work({ chain: { ...scene.chain, sender: openSender(options) } });
    } finally {
      await stop();
    }
  }
  const followThrough = (lie: Lie) => through(lie, (over) => followReturns(scene.context, over.chain));
  const rowOf = async (name: string) => {
    const { id: written } = JSON.parse(scene.files.get(name)!);
    return (await scene.rows()).find(({ requestId }) => requestId === written);
  };
  async function untilEnded(): Promise<void> {
    for (let turn = 0; turn < 20 && (await scene.follow()).length > 0; turn++) await chain.mine();
  }
  const BOOKED = { cold: 600_00n - 250_50n, operator: 0n, wallet: -600_00n + 250_50n };

  it('comes back once: two owners sign one after the other, the executor last', async () => {
    const file = await signed();
    const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
    const [row] = await scene.rows();
    const nonce = await safe.contract.getFunction('nonce')();
    const hash = await safe.contract.getFunction('getTransactionHash')(
      ...Object.values(transferCall(0n)).slice(0, 1),
      ...[0n, transferCall(250_50n).data, 0, 0n, 0n, 0n, `0x${'0'.repeat(40)}`, `0x${'0'.repeat(40)}`, nonce],
    );
    // The offline program has computed what the Safe itself computes.
    expect(shown).toMatchObject({ code: 0, text: expect.stringContaining(`safeTxHash ${hash}`) });
    expect(shown.text).toContain('2 of 3 owners sign');
    expect(row).toMatchObject({ account: { kind: 'safe', version: '1.4.1', threshold: 2 }, sender: safe.address });
    expect(await send(file)).toMatchObject({ code: 0 });
    expect([await came(), await chain.held(safe.address)]).toEqual([250_50n, HELD - 250_50n]);
    const [ended] = await scene.rows();
    expect(ended).toMatchObject({ outcome: 'landed', landedHash: ended!.transactionHash });
    expect([await scene.books(), await scene.broken()]).toEqual([BOOKED, []]);
    // The same file again changes nothing.
    expect(await send(file)).toMatchObject({ code: 0 });
    expect([await came(), await scene.books()]).toEqual([250_50n, BOOKED]);
    expect(Number(await safe.contract.getFunction('nonce')())).toBe(Number(nonce) + 1);
  }, 60_000);

  it('two owners sign apart from each other, and the one who executes is an owner', async () => {
    const [first] = safe.owners;
    expect(await request('250.5', 'request', first!.address)).toMatchObject({ code: 0 });
    expect(await sign('owner2')).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 of 2 signatures are missing'),
    });
    expect(await sign('owner3')).toMatchObject({ code: 0 });
    expect(await sign('owner1', ['owner2', 'owner3'])).toMatchObject({ code: 0 });
    expect(await send('request.owner1')).toMatchObject({ code: 0 });
    expect([await came(), await scene.books()]).toEqual([250_50n, BOOKED]);
  }, 60_000);

  it('is booked when the owners execute it in the Safe web app, whether or not it was signed here', async () => {
    expect(await request('250.5', 'request', null)).toMatchObject({ code: 0 });
    const built = JSON.parse(scene.files.get('request.safe.json')!);
    expect(built).toMatchObject({
      version: '1.0',
      chainId: String(chain.spec.chainId),
      meta: { createdFromSafeAddress: expect.any(String) },
    });
    const [{ to, contractMethod, contractInputsValues }] = built.transactions;
    const method = new Interface([{ type: 'function', ...contractMethod }]);
    await safe.execute({ to, data: method.encodeFunctionData('transfer', Object.values(contractInputsValues)) });
    await untilEnded();
    expect(await came()).toBe(250_50n);
    expect(await scene.rows()).toMatchObject([
      { outcome: 'landed', signedAt: null, landedHash: expect.stringMatching(/^0x/) },
    ]);
    expect([await scene.books(), await scene.broken()]).toEqual([BOOKED, []]);
    // Signed here and stored, and executed there before our broadcast.
    const file = await signed('100', 'next');
    const deaf = { ...scene.chain.sender, broadcast: async () => 'accepted' as const };
    await scene.online(['send', file, '--no-wait'], { chain: { ...scene.chain, sender: deaf } });
    await safe.execute(transferCall(100_00n));
    await chain.mine();
    expect(await send(file)).toMatchObject({ code: 0 });
    const row = await rowOf('next');
    expect(row).toMatchObject({ outcome: 'landed', signedAt: expect.any(Date) });
    expect(row!.landedHash).not.toBe(row!.transactionHash);
    expect([await came(), await scene.broken()]).toEqual([350_50n, []]);
  }, 60_000);

  it('ends without being booked when another transaction of the Safe has used its nonce', async () => {
    const file = await signed();
    const deaf = { ...scene.chain.sender, broadcast: async () => 'accepted' as const };
    await scene.online(['send', file, '--no-wait'], { chain: { ...scene.chain, sender: deaf } });
    await safe.execute(transferCall(1_00n, chain.newAddress()));
    await chain.mine();
    await untilEnded();
    expect(await scene.rows()).toMatchObject([{ outcome: 'lapsed', landedHash: null }]);
    expect([await came(), await scene.broken()]).toEqual([0n, []]);
    // The next one has the next nonce. It is refused if its own is used before it is sent.
    const next = await signed('100', 'next');
    await safe.execute(transferCall(2_00n, chain.newAddress()));
    expect(await send(next)).toMatchObject({
      code: 3,
      text: expect.stringContaining('the nonce 1 of the Safe is used'),
    });
    await chain.mine();
    await untilEnded();
    expect([await rowOf('request'), await rowOf('next')]).toMatchObject([
      { outcome: 'lapsed', signedAt: expect.any(Date) },
      { outcome: 'lapsed', signedAt: null },
    ]);
    expect([await came(), await scene.broken()]).toEqual([0n, []]);
  }, 60_000);

  it('waits while its execution can no longer land, and a newer request beside it moves the money once', async () => {
    const file = await signed('250.5', 'stuck');
    const deaf = { ...scene.chain.sender, broadcast: async () => 'accepted' as const };
    await scene.online(['send', file, '--no-wait'], { chain: { ...scene.chain, sender: deaf } });
    await safe.useAccountNonce();
    await chain.mine();
    expect(await scene.follow()).toMatchObject([
      { outcome: { kind: 'waiting' }, note: expect.stringContaining('request the transfer again') },
    ]);
    const stuck = (await rowOf('stuck'))!.id;
    expect(await scene.online(['give-up', stuck, '--reason', 'stuck'], { ask: async () => stuck })).toMatchObject({
      code: 3,
      text: expect.stringContaining('no final transaction of the Safe'),
    });
    expect(await send(await signed('250.5', 'again'))).toMatchObject({ code: 0 });
    await untilEnded();
    // Both requests are the same SafeTx, so one of them is booked.
    expect([await rowOf('stuck'), await rowOf('again')]).toMatchObject([{ outcome: 'lapsed' }, { outcome: 'landed' }]);
    expect([await came(), await scene.broken()]).toEqual([250_50n, []]);
    expect(await scene.books()).toEqual(BOOKED);
  }, 60_000);

  it('is found by the receipts of its block where an endpoint refuses logs, and is not judged by one that hides them', async () => {
    await request('250.5', 'request', null);
    await safe.execute(transferCall(250_50n));
    await chain.mine();
    const hiding = await followThrough((method, result) => (method === 'eth_getLogs' ? [] : result));
    expect(hiding).toMatchObject([{ outcome: null, note: expect.stringContaining('does not name the SafeTx') }]);
    expect(await scene.rows()).toMatchObject([{ outcome: null }]);
    const refusing = await followThrough((method, result) =>
      method === 'eth_getLogs' ? new Refusal({ code: -32005, message: 'limit exceeded' }) : result,
    );
    expect(refusing).toMatchObject([{ outcome: { kind: 'landed' } }]);
    expect([await scene.books(), await scene.broken()]).toEqual([BOOKED, []]);
  }, 60_000);

  it('of version 1.3.0 is known by the hash in the data of its event, and one of an unknown version is refused', async () => {
    const words = ['request', network, 'USDT', '250.5', '--out', 'request'];
    const unknown = await through(named('1.5.0'), (over) => scene.online(words, over));
    expect(unknown).toMatchObject({
      code: 3,
      text: expect.stringContaining('is a contract of version 1.5.0, and no Safe'),
    });
    expect(await through(named('1.3.0'), (over) => scene.online(words, over))).toMatchObject({ code: 0 });
    expect(await scene.rows()).toMatchObject([{ account: { version: '1.3.0' } }]);
    await safe.execute(transferCall(250_50n));
    await chain.mine();
    const plain: Lie = (method, result) => (method === 'eth_getLogs' ? (result as Event[]).map(unindexed) : result);
    expect(await followThrough(plain)).toMatchObject([{ outcome: { kind: 'landed' } }]);
    expect([await scene.books(), await scene.broken()]).toEqual([BOOKED, []]);
  }, 60_000);

  it('an older request is booked if its owners execute it, though a newer one was written; one is forgotten after a week', async () => {
    await request('250.5', 'older', null);
    await request('100', 'newer', null);
    await safe.execute(transferCall(250_50n));
    await chain.mine();
    await untilEnded();
    expect([await rowOf('older'), await rowOf('newer')]).toMatchObject([{ outcome: 'landed' }, { outcome: 'lapsed' }]);
    expect([await scene.books(), await scene.broken()]).toEqual([BOOKED, []]);
    await request('1', 'last', null);
    const after = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) });
    await followReturns({ ...scene.context, clock: after(6) }, scene.chain);
    expect(await rowOf('last')).toMatchObject({ outcome: null });
    await followReturns({ ...scene.context, clock: after(8) }, scene.chain);
    expect(await rowOf('last')).toMatchObject({ outcome: 'lapsed', signedAt: null });
  }, 60_000);

  it('refuses too few signatures, and says who can still sign', async () => {
    await request('250.5');
    await sign('owner1');
    const [, second, third] = safe.owners;
    const few = await send('request.owner1');
    expect(few).toMatchObject({ code: 3, text: expect.stringContaining('1 of 2 signatures are missing') });
    expect(few.text).toContain(`${second!.address}, ${third!.address}`);
    // The executor signs last, and says so.
    expect(await sign('executor', ['owner1'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('the executor signs last'),
    });
    await sign('owner2');
    expect(await send('request.owner1', 'request.owner2')).toMatchObject({
      code: 3,
      text: expect.stringContaining('must sign last'),
    });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null, outcome: null }]]);
  }, 60_000);

  it('refuses the signature of an account that is no owner, offline and online', async () => {
    const file = await signed();
    scene.files.set('stranger', `0x${'11'.repeat(32)}`);
    expect(await sign('stranger', ['owner1'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('is not an owner of the Safe'),
    });
    const parsed = JSON.parse(scene.files.get(file)!);
    const [one] = parsed.signers;
    const forge = (name: string, change: object) =>
      scene.files.set(name, `${JSON.stringify(sorted({ ...parsed, ...change }))}\n`);
    forge('foreign', { signers: [{ ...one, signer: safe.executor.address }, ...parsed.signers.slice(1)] });
    expect(await send('foreign')).toMatchObject({
      code: 3,
      text: expect.stringContaining('is not an owner of the Safe'),
    });
    forge('swapped', { signers: [{ ...one, signer: safe.owners[1]!.address }, ...parsed.signers.slice(1)] });
    expect(await send('swapped')).toMatchObject({ code: 3, text: expect.stringContaining('not one of') });
    forge('executed', { executions: one.signatures });
    expect(await send('executed')).toMatchObject({ code: 3, text: expect.stringContaining('not one of the executor') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
  }, 60_000);

  it('refuses signatures over another amount than the one that was requested', async () => {
    await request('250.5');
    const original = JSON.parse(scene.files.get('request')!);
    const [item] = original.items;
    const units = BigInt(item.amount);
    const unsigned = item.unsigned.replace(
      units.toString(16).padStart(64, '0'),
      (units + 1n).toString(16).padStart(64, '0'),
    );
    const change = {
      ...original,
      items: [{ ...item, unsigned, amount: String(units + 1n) }],
      totals: { USDT: String(units + 1n) },
    };
    scene.files.set('other', Buffer.from(rewritten(change)).toString());
    expect(await sign('owner1', [], 'other')).toMatchObject({ code: 0 });
    expect(await sign('owner2', ['owner1'], 'other')).toMatchObject({ code: 0 });
    expect(await sign('executor', ['owner2'], 'other')).toMatchObject({ code: 0 });
    expect(await send('other.executor')).toMatchObject({ code: 3, text: expect.stringContaining('another content') });
    // Under the name of the request they are no signatures of it.
    const forged = scene.files
      .get('other.executor')!
      .replaceAll(JSON.parse(scene.files.get('other')!).sha256, original.sha256);
    scene.files.set('forged', forged);
    expect(await send('forged')).toMatchObject({ code: 3, text: expect.stringContaining('not one of') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
  }, 60_000);

  it('refuses what the chain would refuse, a contract that is no Safe, and an executor without coin', async () => {
    expect(await request('1000.01')).toMatchObject({ code: 3, text: expect.stringContaining('too little USDT') });
    expect(await request('1', 'request', chain.newAddress())).toMatchObject({
      code: 3,
      text: expect.stringContaining('too little coin'),
    });
    expect(await request('1', 'request', safe.address)).toMatchObject({
      code: 3,
      text: expect.stringContaining('is a contract'),
    });
    const wallets = async () => ({ cold: chain.spec.tokens.USDC!.contract, refund: scene.refund });
    const networks = [{ environment: 'test' as const, network, open: async () => scene.chain, wallets, levels: [] }];
    const words = ['request', network, 'USDT', '1', '--out', 'request'];
    expect(await scene.online(words, { networks })).toMatchObject({
      code: 3,
      text: expect.stringContaining('no Safe of version'),
    });
    expect([await scene.rows(), scene.files.has('request')]).toEqual([[], false]);
  }, 60_000);
});

type Event = { readonly topics: readonly string[]; readonly data: string };

/** ExecutionSuccess(bytes32,uint256) as versions before 1.4.0 wrote it. */
const unindexed = (event: Event): Event =>
  event.topics[0] === id('ExecutionSuccess(bytes32,uint256)')
    ? { ...event, topics: event.topics.slice(0, 1), data: `${event.topics[1]}${event.data.slice(2)}` }
    : event;

/** The contract answers VERSION() with this. */
const named =
  (version: string): Lie =>
  (method, result, params) => {
    const [call] = method === 'eth_call' ? (params as [{ data?: string; input?: string }]) : [{}];
    const isVersion = (call.data ?? call.input ?? '').startsWith(id('VERSION()').slice(0, 10));
    return isVersion ? AbiCoder.defaultAbiCoder().encode(['string'], [version]) : result;
  };

/** The order of the fields in which files are written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}
