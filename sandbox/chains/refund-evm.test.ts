// Refunds paid on real EVM nodes by the worker's steps and the real signer: each exactly once, whatever is interrupted,
// and with a reason when it waits or fails.

import { Interface, toQuantity, Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { transferCall } from '@/lib/networks/families/evm/sending/write-draft';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { crashAt } from '@/testing/refunds/crash';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { openRpc, type Rpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const [COIN, GWEI] = [10n ** 18n, 10n ** 9n];
const FINAL = 6;
const wallet = accounts.of('test', 'evm').address;
const newAddress = () => Wallet.createRandom().address.toLowerCase();
const issuerCalls = new Interface([
  'function owner() view returns (address)',
  'function blacklist(address)',
  'function unBlacklist(address)',
  'function setPaused(bool)',
]);

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
afterEach(() => armCrashPoint(undefined));

describe.each(EVM_NETWORKS)('$network', (row) => {
  let chain: LocalNetwork;
  let rpc: Rpc;
  let sender: ChainSender;
  let scene: RefundScene;

  beforeAll(async () => {
    chain = await startTestEvm(row);
    rpc = openRpc(chain.rpcUrl);
    const { spec } = chain;
    const log = silentLog();
    sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
    for (const currency of ['USDT', 'USDC']) {
      await chain.pay({ currency, recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
    }
  }, 60_000);
  afterAll(() => chain.stop());
  const open = async (intervals = {}) => {
    scene = await openRefundScene({ db, clock: systemClock, spec: chain.spec, sender, intervals });
  };
  beforeEach(async () => {
    await rpc('anvil_setBalance', wallet, toQuantity(COIN));
    // Every scene has a signer without payments, and its first account nonce follows the final ones.
    await mine();
    await open();
  });

  const mine = () => chain.mine(FINAL);
  const five = () => 5n * 10n ** BigInt(chain.spec.tokens.USDT!.decimals);
  const held = (to: string, currency = 'USDT') => chain.balance(to, currency);
  const used = async () => Number(await rpc('eth_getTransactionCount', wallet, 'latest'));
  async function issue(currency: string, name: string, ...values: unknown[]): Promise<void> {
    const { contract: to } = chain.spec.tokens[currency]!;
    const owner = await rpc('eth_call', { to, data: issuerCalls.encodeFunctionData('owner') }, 'latest');
    const issuer = `0x${owner.slice(-40)}`;
    await rpc('anvil_impersonateAccount', issuer);
    const data = issuerCalls.encodeFunctionData(name, values);
    const price = { gas: toQuantity(200_000), gasPrice: toQuantity(20n * GWEI) };
    await rpc('eth_sendTransaction', { from: issuer, to, data, ...price });
    await chain.mine(1);
  }

  it('has raised the payer’s balance when it is completed, with one event and a receipt', async () => {
    const to = newAddress();
    const id = await scene.refund({ to });
    const refund = await scene.untilEnded(id, mine);
    expect(refund).toMatchObject({ status: 'completed', destination: to, hold: null, toRelease: false });
    const [attempt, ...others] = await scene.attempts(id);
    expect([attempt?.status, attempt?.hash, others]).toEqual(['landed', refund.transactionHash, []]);
    expect(refund.receiptNumber).toMatch(/^rcp_/);
    expect([await held(to), await scene.events(id)]).toEqual([five(), ['refund.succeeded']]);
  });

  it.each(CRASH_POINTS)('a crash at %s leads to one payment with the same signed bytes', async (point) => {
    await open({ lease: 0 });
    const before = await used();
    const to = newAddress();
    const id = await scene.refund({ to });
    await crashAt(point, scene, () => chain.mine(1));
    const refund = await scene.untilEnded(id, mine);
    expect(refund.status).toBe('completed');
    const attempts = await scene.attempts(id);
    expect(attempts.map(({ status }) => status)).toEqual(['landed']);
    expect(attempts.map(({ hash }) => hash)).toEqual(
      scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash),
    );
    expect([await held(to), await used()]).toEqual([five(), before + 1]);
    expect(await scene.events(id)).toEqual(['refund.succeeded']);
  });

  it('three concurrent workers pay each of eight refunds once, with consecutive nonces', async () => {
    const before = await used();
    const targets = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const to = newAddress();
        return { to, id: await scene.refund({ to }) };
      }),
    );
    for (let turn = 0; turn < 40; turn++) {
      await Promise.all([scene.pass(), scene.pass(), scene.pass()]);
      await mine();
      const left = await db.prisma.refund.count({ where: { storeId: scene.storeId, status: 'processing' } });
      if (left === 0) break;
    }
    for (const { to, id } of targets) {
      expect([(await scene.read(id)).status, await held(to)]).toEqual(['completed', five()]);
      expect((await scene.attempts(id)).filter(({ hash }) => hash !== null)).toHaveLength(1);
    }
    expect(await used()).toBe(before + 8);
  });

  it('a worker that paused until another one leased its refund writes nothing', async () => {
    await open({ lease: 0 });
    const to = newAddress();
    const id = await scene.refund({ to });
    let resume = () => {};
    const stalled = new Promise<void>((resolve) => (resume = resolve));
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { calls } = scene.signing;
    const slow = {
      ...calls,
      sign: async (params: Parameters<typeof calls.sign>[0]) => {
        const signed = await calls.sign(params);
        asked();
        await stalled;
        return signed;
      },
    };
    const late = scene.pass({ signer: { ...scene.sending.signer!, calls: slow } });
    await isAsked;
    await scene.pass();
    const [before] = await scene.attempts(id);
    const { epoch } = await scene.read(id);
    resume();
    await late;
    expect(await scene.attempts(id)).toEqual([before]);
    expect([before?.status, (await scene.read(id)).epoch]).toEqual(['sent', epoch]);
    await scene.untilEnded(id, mine);
    expect(await held(to)).toBe(five());
  });

  it('a payment that no block includes is replaced with a higher fee, and lands once', async () => {
    await open({ replaceAfter: 0 });
    const to = newAddress();
    const id = await scene.refund({ to });
    const before = await used();
    await rpc('evm_setAutomine', false);
    for (let pass = 0; pass < 3; pass++) await scene.pass();
    await rpc('evm_setAutomine', true);
    const variants = await scene.attempts(id);
    expect(variants.length).toBeGreaterThan(1);
    expect(new Set(variants.map(({ validity }) => JSON.stringify(validity))).size).toBe(1);
    expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed' });
    const ends = (await scene.attempts(id)).map(({ status }) => status);
    expect([ends.filter((one) => one === 'landed').length, new Set(ends).size]).toEqual([1, 2]);
    expect(ends).toEqual(expect.arrayContaining(['landed', 'replaced']));
    expect([await held(to), await used()]).toEqual([five(), before + 1]);
  });

  it('a final revert fails the refund, releases everything, and the signer no longer counts it', async () => {
    const id = await scene.refund({ to: newAddress(), currency: 'USDC' });
    const { sessionId: session } = await scene.read(id);
    const hasty: ChainSender = {
      ...sender,
      async broadcast(bytes) {
        await issue('USDC', 'blacklist', wallet);
        const answer = await sender.broadcast(bytes);
        await mine();
        return answer;
      },
    };
    await scene.pass({ sender: hasty });
    const refund = await scene.untilEnded(id, mine);
    await issue('USDC', 'unBlacklist', wallet);
    expect(refund).toMatchObject({ status: 'failed', transactionHash: null, toRelease: true });
    expect(refund.failureReason).toMatch(/^The transaction was final without moving anything: .+\.$/);
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id: session } })).amountRefunded).toBe(0n);
    expect(await scene.events(id)).toEqual(['refund.failed']);
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'failed', toRelease: false });
    expect(scene.signing.signer.state().journal.released).toBe(1);
    expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['reverted']);
  });

  it('fails without a signature when the issuer has blocked the recipient', async () => {
    const blocked = await scene.refund({ to: (await chain.blockedAddress('USDC')).toLowerCase(), currency: 'USDC' });
    expect(await scene.untilEnded(blocked)).toMatchObject({
      status: 'failed',
      failureReason: 'The issuer of USDC has blocked the recipient.',
      toRelease: false,
    });
    expect([await scene.attempts(blocked), await scene.events(blocked)]).toEqual([[], ['refund.failed']]);
  });

  // The issuer can pause the token of one network.
  const pausable = row.kinds.USDT === 'LegacyStable' ? ['USDT'] : [];
  it.each(pausable)(
    'waits without a signature while the issuer has paused %s, and is paid once it is unpaused',
    async (currency) => {
      const id = await scene.refund({ to: newAddress(), currency });
      await issue(currency, 'setPaused', true);
      for (let pass = 0; pass < 3; pass++) await scene.pass();
      expect([await scene.read(id), await scene.attempts(id)]).toMatchObject([
        { status: 'processing', hold: 'token_paused' },
        [],
      ]);
      await issue(currency, 'setPaused', false);
      expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', hold: null });
    },
  );

  it('waits for the fee coin and for tokens with a reason, can be canceled meanwhile, and continues by itself', async () => {
    await rpc('anvil_setBalance', wallet, '0x1');
    const to = newAddress();
    const id = await scene.refund({ to });
    await scene.pass();
    const short = await scene.read(id);
    expect(short).toMatchObject({ status: 'processing', hold: 'no_fee_coin', signatureRequestedAt: null });
    expect(short.holdMessage).toMatch(/^The refund wallet has too little .+\.$/);
    await scene.pass();
    expect((await scene.read(id)).heldAt).toEqual(short.heldAt);
    await rpc('anvil_setBalance', wallet, toQuantity(COIN));
    const whole = await held(wallet);
    const without: ChainSender = {
      ...sender,
      draft: (order, from, options) => sender.draft({ ...order, amount: whole + 1n }, from, options),
    };
    await scene.pass({ sender: without });
    expect(await scene.read(id)).toMatchObject({ hold: 'no_tokens', signatureRequestedAt: null });
    expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', hold: null, holdMessage: null });
    expect(await held(to)).toBe(five());
  });

  it('of two refunds that the wallet cannot both pay, one waits for more funds, and neither fails', async () => {
    const all = await held(wallet);
    const { contract } = chain.spec.tokens.USDT!;
    const price = { gas: toQuantity(200_000), gasPrice: toQuantity(20n * GWEI) };
    await rpc('anvil_impersonateAccount', wallet);
    const data = await transferCall(newAddress(), all - five() - 1n);
    await rpc('eth_sendTransaction', { from: wallet, to: contract, data, ...price });
    await rpc('anvil_stopImpersonatingAccount', wallet);
    await mine();
    await rpc('evm_setAutomine', false);
    const ids = [await scene.refund({ to: newAddress() }), await scene.refund({ to: newAddress() })];
    for (let pass = 0; pass < 3; pass++) await scene.pass();
    const holds = await Promise.all(ids.map(async (id) => (await scene.read(id)).hold));
    await rpc('evm_setAutomine', true);
    for (let turn = 0; turn < 4; turn++) await mine().then(() => scene.pass());
    const ended = await Promise.all(ids.map(async (id) => (await scene.read(id)).status));
    await chain.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
    for (const id of ids) expect((await scene.untilEnded(id, mine)).status).toBe('completed');
    expect([holds.map(String).toSorted(), ended.toSorted()]).toEqual([
      ['no_tokens', 'null'],
      ['completed', 'processing'],
    ]);
  });

  it('waits while the signer is unreachable or frozen, or not configured', async () => {
    const id = await scene.refund({ to: newAddress() });
    await scene.pass({ signer: null });
    expect(await scene.read(id)).toMatchObject({ hold: 'signer_unavailable', signatureRequestedAt: null });
    scene.signing.isDown = true;
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'signer_unavailable', signatureRequestedAt: null });
    scene.signing.isDown = false;
    scene.signing.signer.freeze('for a test');
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'frozen', signatureRequestedAt: null, status: 'processing' });
    expect(await scene.attempts(id)).toEqual([]);
  });

  it('is put on hold by a limit of the signer, without a signature, and can be canceled', async () => {
    scene = await openRefundScene({ db, clock: systemClock, spec: chain.spec, sender, limits: { perHour: 100n } });
    const id = await scene.refund({ to: newAddress() });
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'limit', signatureRequestedAt: null, status: 'processing' });
    expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['refused']);
  });

  it('a foreign transaction of the refund wallet freezes the signer, and nothing more is signed', async () => {
    const first = await scene.refund({ to: newAddress() });
    await scene.untilEnded(first, mine);
    await rpc('anvil_impersonateAccount', wallet);
    await rpc('eth_sendTransaction', { from: wallet, to: wallet, value: '0x0', gasPrice: toQuantity(20n * GWEI) });
    await chain.mine(1);
    const second = await scene.refund({ to: newAddress() });
    await scene.pass();
    expect(await scene.read(second)).toMatchObject({ hold: 'chain_unavailable', signatureRequestedAt: null });
    await mine();
    await scene.pass();
    expect(await scene.read(second)).toMatchObject({ hold: 'frozen', signatureRequestedAt: null });
    expect(scene.signing.signer.state().reason).toContain('transactions of the wallet');
  });

  it('a nonce used by a foreign transaction freezes the signer, and an operator decides about the refund', async () => {
    const to = newAddress();
    const id = await scene.refund({ to });
    const away = { sender: { ...sender, broadcast: async () => 'accepted' as const } };
    await scene.pass(away);
    await rpc('anvil_impersonateAccount', wallet);
    await rpc('eth_sendTransaction', { from: wallet, to: wallet, value: '0x0', gasPrice: toQuantity(20n * GWEI) });
    await chain.mine(FINAL + 20);
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
    expect(scene.signing.signer.state().frozen).toBe(true);
    const { epoch } = await scene.read(id);
    await scene.pass();
    expect([(await scene.read(id)).epoch, await held(to), scene.signing.signed]).toEqual([epoch, 0n, 1]);
  });

  it('cannot be canceled after a signature request without a response, even when the second request is refused', async () => {
    scene = await openRefundScene({ db, clock: systemClock, spec: chain.spec, sender, limits: { perHour: 100n } });
    const id = await scene.refund({ to: newAddress() });
    const { calls } = scene.signing;
    const mute: typeof calls.sign = async () => {
      scene.signing.isDown = true;
      return calls.sign(null as never);
    };
    await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign: mute } } });
    const asked = await scene.read(id);
    expect([asked.hold, asked.signatureRequestedAt === null]).toEqual(['signer_unavailable', false]);
    scene.signing.isDown = false;
    await scene.pass();
    const refused = await scene.read(id);
    expect([refused.hold, refused.signatureRequestedAt]).toEqual(['limit', asked.signatureRequestedAt]);
    expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['refused']);
  });

  it('a restored database adopts lost payments from the signer and pays none again', async () => {
    const before = await used();
    const to = newAddress();
    const id = await scene.refund({ to });
    for (let pass = 0; pass < 2; pass++) await scene.pass();
    await mine();
    await truncateFacts(db.pool, 'refund_attempts');
    await db.pool.query('UPDATE refunds SET signature_requested_at = NULL WHERE id = $1', [id]);
    expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed' });
    expect([await held(to), await used()]).toEqual([five(), before + 1]);
    expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['refused', 'landed']);
  });

  it('a restarted chain fails the refunds sent on the former chain, and pays nothing twice', async () => {
    const to = newAddress();
    const id = await scene.refund({ to });
    await scene.pass();
    const { signing } = scene;
    await open();
    await db.pool.query('UPDATE refunds SET next_at = now() WHERE id = $1', [id]);
    const refund = await scene.untilEnded(id);
    expect(refund.failureReason).toContain('started afresh');
    expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['lapsed']);
    expect([await scene.events(id), signing.signed]).toEqual([['refund.failed'], 1]);
  });
});
