import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { ComputeBudgetProgram, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { Transaction } from 'ethers';
import fc from 'fast-check';
import { TronWeb, utils as tronUtils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import type { NetworkFamily } from '@/lib/networks/chain';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import type { Draft, EvmDraft } from '@/lib/networks/sending/send';
import { keptForDataFee } from '@/lib/networks/networks';
import { readDraft, signing } from '@/lib/networks/sending/draft';
import { writeSolanaDraft } from '@/lib/networks/families/solana/sending/write-draft';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import {
  accounts,
  draftOf,
  evmDraft,
  localSpec,
  NETWORK_NAMES,
  openScene,
  orderOn,
  policy,
  solanaDraft,
  solanaSteps,
  START,
  tronDraft,
} from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { checkLife, checkPayment, checkReplaces } from './draft-rules';
import type { RefundOrder } from './orders';
import { allow } from './policy';

const directory = useTemporaryDirectory();

const check = (order: RefundOrder, draft: Draft) => {
  const allowed = allow(order, policy(), accounts);
  return checkPayment(draft, allowed, accounts.of('test', allowed.spec.family).address);
};
const sign = (order: RefundOrder, draft: Draft) => openScene(directory).signer.sign({ order, draft });

describe('ethers reads the same hash, sender and call from the signed transaction', () => {
  test.each(['ethereum', 'bsc'] as const)('%s, with nonces of every length', (network) => {
    const order = orderOn(network);
    for (const nonce of [0, 1, 127, 128, 255, 256, 65_536, 2 ** 40]) {
      const draft = evmDraft(order, { nonce });
      const { hash, bytes, validity } = sign(order, draft);
      const [read, drafted] = [Transaction.from(bytes), Transaction.from(draft.unsigned)];
      expect([read.hash, read.serialized, validity]).toEqual([hash, bytes, { kind: 'nonce', nonce }]);
      expect(read.from?.toLowerCase()).toBe(accounts.of('test', 'evm').address);
      // Everything but the signature equals the draft.
      expect(read.unsignedSerialized).toBe(drafted.unsignedSerialized);
      expect([read.to?.toLowerCase(), read.value, read.type]).toEqual([order.contract, 0n, 2]);
      expect(Number(read.chainId)).toBe(localSpec(network).chainId);
    }
  });
});

test('tronweb reads the same id, signer and call from the signed transaction', async () => {
  const order = orderOn('tron');
  const draft = await tronDraft(order);
  const { hash, bytes, validity } = sign(order, draft);
  const proto = (
    globalThis as { TronWebProto?: { Transaction: { deserializeBinary(b: Uint8Array): ProtoTransaction } } }
  ).TronWebProto;
  const read = proto?.Transaction.deserializeBinary(Buffer.from(bytes, 'hex')) as ProtoTransaction;
  const raw = Buffer.from(read.getRawData().serializeBinary()).toString('hex');
  expect(raw).toBe(draft.unsigned);
  const signature = Buffer.from(read.getSignatureList_asU8()[0] as Uint8Array);
  expect(signature).toHaveLength(65);
  const data = tronUtils.deserializeTx.deserializeTransaction('TriggerSmartContract', raw);
  expect(tronUtils.transaction.txPbToTxID(tronUtils.transaction.txJsonToPb({ raw_data: data }))).toContain(hash);
  const wallet = TronWeb.address.toHex(accounts.of('test', 'tron').address).toLowerCase();
  expect(tronUtils.crypto.ecRecover(hash, signature.toString('hex')).toLowerCase()).toBe(wallet);
  expect(data.contract[0].parameter.value.owner_address.toLowerCase()).toBe(wallet);
  expect(validity).toEqual({ kind: 'time', expiresAt: (START + 60_000) / 1000 });
});

type ProtoTransaction = {
  getRawData(): { serializeBinary(): Uint8Array };
  getSignatureList_asU8(): Uint8Array[];
};

test('web3.js reads the same signature, payer and message from the signed transaction', () => {
  const order = orderOn('solana');
  const draft = solanaDraft(order);
  const { hash, bytes, validity } = sign(order, draft);
  const read = VersionedTransaction.deserialize(Buffer.from(bytes, 'base64'));
  expect(read.signatures).toHaveLength(1);
  expect(base58.encode(read.signatures[0] as Uint8Array)).toBe(hash);
  const wallet = accounts.of('test', 'solana').address;
  expect(read.message.staticAccountKeys[0]?.toBase58()).toBe(wallet);
  const message = read.message.serialize();
  expect(Buffer.from(message).toString('base64')).toBe(draft.unsigned);
  expect(ed25519.verify(read.signatures[0] as Uint8Array, message, new PublicKey(wallet).toBytes())).toBe(true);
  expect(validity).toEqual({ kind: 'height', lastValidBlockHeight: 1000 });
});

test('the networks’ own libraries draft the same bytes as this service', async () => {
  const [eth, trx, sol] = [orderOn('ethereum'), orderOn('tron'), orderOn('solana')];
  const ours = await writeEvmDraft(
    {
      ...{ chainId: localSpec('ethereum').chainId as number, nonce: 7, gasLimit: 90_000n },
      ...{ maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
      ...{ contract: eth.contract, to: eth.to, amount: BigInt(eth.amount) },
    },
    { intentId: eth.intentId, from: accounts.of('test', 'evm').address },
  );
  expect(evmDraft(eth, { nonce: 7 })).toEqual(ours);
  const onTron = await writeTronDraft(
    {
      ...{ owner: accounts.of('test', 'tron').address, contract: trx.contract, to: trx.to },
      ...{ amount: BigInt(trx.amount), refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' },
      ...{ expiration: START + 60_000, timestamp: START, feeLimit: 30_000_000n },
    },
    trx.intentId,
  );
  expect(await tronDraft(trx)).toEqual(onTron);
  const blockhash = base58.encode(Buffer.alloc(32, 9));
  const onSolana = await writeSolanaDraft(
    {
      ...{ from: accounts.of('test', 'solana').address, to: sol.to, direct: false, mint: sol.contract, decimals: 6 },
      ...{
        amount: BigInt(sol.amount),
        blockhash,
        unitLimit: 60_000,
        unitPrice: 20_000n,
        memo: sol.intentId,
        nonceAccount: null,
      },
    },
    1000,
  );
  expect(solanaDraft(sol)).toEqual(onSolana);
});

/** The bytes of a draft, and a draft with other bytes. */
const bytesOf = ({ family, unsigned }: Draft): Buffer =>
  family === 'solana' ? Buffer.from(unsigned, 'base64') : Buffer.from(unsigned.replace(/^0x/, ''), 'hex');
const withBytes = (draft: Draft, bytes: Buffer): Draft => {
  const text = bytes.toString(draft.family === 'solana' ? 'base64' : 'hex');
  return { ...draft, unsigned: draft.family === 'evm' ? `0x${text}` : text };
};
const isRefused = expect.objectContaining({ name: 'Refusal', code: 'draft' });

/**
 * The number of bytes that may take another value. EVM: nonce 1, prices 4 + 4, gas 3. TRON: reference block 2 + 8,
 * expiration 6, timestamp 6, fee limit 4. Solana: block hash 32, compute limit 4 and price 8, less the bytes that
 * exceed the cap.
 */
const FREE: Readonly<Record<NetworkFamily, number>> = { evm: 12, tron: 26, solana: 44 };

test.each(NETWORK_NAMES)(
  'no byte of a draft on %s can be changed except those that a draft may choose',
  async (network) => {
    const order = orderOn(network);
    const draft = await draftOf(order, 1);
    const honest = bytesOf(draft);
    const digest = (one: Draft) => Buffer.from(signing(one).payload).toString('hex');
    let free = 0;
    for (let at = 0; at < honest.length; at++) {
      const changed = Buffer.from(honest);
      changed[at] = (changed[at] as number) ^ 1;
      const other = withBytes(draft, changed);
      try {
        check(order, other);
        free++;
        expect(digest(other)).not.toBe(digest(draft));
      } catch (error) {
        expect(error).toEqual(isRefused);
      }
      expect(() => check(order, withBytes(draft, honest.subarray(0, at)))).toThrow(isRefused);
    }
    expect(() => check(order, withBytes(draft, Buffer.concat([honest, Buffer.of(0)])))).toThrow(isRefused);
    expect(free).toBeLessThanOrEqual(FREE[draft.family]);
    expect(free).toBeGreaterThan(FREE[draft.family] / 3);
  },
);

test('any bytes either pay exactly the order or are refused, and never cause a fault of the signer', async () => {
  const drafts = await Promise.all(NETWORK_NAMES.map((network) => draftOf(orderOn(network))));
  fc.assert(
    fc.property(fc.constantFrom(...NETWORK_NAMES.keys()), fc.uint8Array(), fc.nat(), (at, junk, where) => {
      const [draft, order] = [drafts[at] as Draft, orderOn(NETWORK_NAMES[at] as string)];
      const honest = bytesOf(draft);
      const cut = where % honest.length;
      const patched = withBytes(draft, Buffer.concat([honest.subarray(0, cut), junk, honest.subarray(cut)]));
      try {
        check(order, patched);
        // For example a TRON expiration with an extra digit, which the clock check refuses.
        const { to, contract, amount } = readDraft(patched);
        expect([to, contract, amount]).toEqual([order.to, order.contract, BigInt(order.amount)]);
      } catch (error) {
        expect(error).toEqual(isRefused);
      }
      expect(() => check(order, withBytes(draft, Buffer.from(junk)))).toThrow(isRefused);
    }),
    { numRuns: 300 },
  );
});

test.each(NETWORK_NAMES)(
  'the same draft on %s gives the same payload, and another draft a different one',
  async (network) => {
    const order = orderOn(network);
    const [one, again, other] = [await draftOf(order), await draftOf(order), await draftOf(order, 1)];
    expect(sign(order, again)).toEqual(sign(order, one));
    expect(sign(order, other).hash).not.toBe(sign(order, one).hash);
  },
);

test('a TRON draft is valid for a day at most by the signer’s clock, to the millisecond, and other families have no time limit', async () => {
  const order = orderOn('tron');
  const draft = (expiration: number, timestamp = START) => tronDraft(order, 0, START, { expiration, timestamp });
  const [last, day, longer] = [
    await draft(START + 1),
    await draft(START + 86_400_000),
    await draft(START + 86_400_001),
  ];
  expect(() => checkLife(last, START)).not.toThrow();
  expect(() => checkLife(last, START + 1)).toThrow(/has expired/);
  expect(() => checkLife(day, START)).not.toThrow();
  expect(() => checkLife(longer, START)).toThrow(/valid for too long/);
  const ahead = await draft(START + 60_000, START + 300_001);
  expect(() => checkLife(ahead, START)).toThrow(/in the future/);
  expect(() => checkLife(ahead, START + 1)).not.toThrow();
  for (const network of ['ethereum', 'solana'] as const) {
    const other = await draftOf(orderOn(network));
    expect(() => checkLife(other, START + 10 ** 12)).not.toThrow();
  }
});

test('a replacement keeps the nonce and raises both fees by a tenth, to the wei', () => {
  const order = orderOn('ethereum');
  const draft = (nonce: number, most: bigint, tip: bigint): EvmDraft =>
    evmDraft(order, { nonce, maxFeePerGas: most, maxPriorityFeePerGas: tip });
  const fee = fc.bigInt({ min: 1n, max: 10n ** 12n });
  fc.assert(
    fc.property(fee, fee, fee, fee, fc.nat({ max: 3 }), (a, b, c, d, nonce) => {
      const high = (one: bigint, two: bigint): bigint => (one > two ? one : two);
      const [before, next] = [draft(0, high(a, b), b), draft(nonce === 3 ? 1 : 0, high(c, d), d)];
      const raises = (was: bigint, is: bigint) => is > was && is * 10n >= was * 11n;
      const may = nonce !== 3 && raises(high(a, b), high(c, d)) && raises(b, d);
      const replaced = () => checkReplaces(before, next);
      if (may) replaced();
      else expect(replaced).toThrow(expect.objectContaining({ code: 'conflict' }));
    }),
  );
  const of = (most: bigint, tip: bigint) => () => checkReplaces(draft(0, 1000n, 100n), draft(0, most, tip));
  expect(of(1100n, 110n)).not.toThrow();
  expect(of(1099n, 110n)).toThrow(/ten percent/);
  expect(of(1100n, 109n)).toThrow(/ten percent/);
  const withoutTip = (tip: bigint) => () => checkReplaces(draft(0, 1000n, 0n), draft(0, 1100n, tip));
  expect(withoutTip(0n)).toThrow(/ten percent/);
  expect(withoutTip(1n)).not.toThrow();
});

test('where gas does not pay for everything, a draft may cost the fee cap less what is kept for its data', () => {
  const order = orderOn('base');
  const spec = localSpec('base');
  const price = 10n ** 6n;
  const gasLimit = (spec.feeCap - keptForDataFee(spec)) / price;
  expect(keptForDataFee(spec)).toBeGreaterThan(price);
  const costing = (gas: bigint) => evmDraft(order, { gasLimit: gas, maxFeePerGas: price, maxPriorityFeePerGas: price });
  expect(check(order, costing(gasLimit)).validity).toEqual({ kind: 'nonce', nonce: 0 });
  expect(() => check(order, costing(gasLimit + 1n))).toThrow(isRefused);
});

test('a draft on Solana may use as many compute units as the network has, and not one more', () => {
  const order = orderOn('solana');
  const using = (units: number) => {
    const [, ...others] = solanaSteps(order);
    return solanaDraft(order, 0, [ComputeBudgetProgram.setComputeUnitLimit({ units }), ...others]);
  };
  expect(check(order, using(1_400_000)).validity.kind).toBe('height');
  expect(() => check(order, using(1_400_001))).toThrow(isRefused);
});

test('a fault of the signer while it reads a draft is no refusal of the draft', async () => {
  const draft = await tronDraft(orderOn('tron'));
  const broken = {
    ...draft,
    get unsigned(): string {
      throw new RangeError('out of memory');
    },
  };
  expect(() => checkLife(broken, START)).toThrow(RangeError);
});
