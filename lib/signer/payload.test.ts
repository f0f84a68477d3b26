import { Message, PublicKey, TransactionMessage, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { Transaction } from 'ethers';
import { TronWeb, utils as tronUtils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import {
  accounts,
  draftOf,
  evmDraft,
  localSpec,
  NETWORK_NAMES,
  orderOn,
  solanaDraft,
  solanaSteps,
  START,
} from '@/lib/testing/signer-scene';
import { readMessage } from './solana-message';
import type { Draft, PaymentOrder } from './orders';
import { payloadOf } from './payload';
import { FEE_CAPS } from './policy';

const payload = (order: PaymentOrder, draft: Draft) => {
  const spec = localSpec(order.network);
  return payloadOf(draft, {
    order,
    spec,
    token: spec.tokens.USDT as NonNullable<typeof spec.tokens.USDT>,
    account: accounts.of('test', spec.family),
    feeCap: FEE_CAPS[order.network] as bigint,
  });
};

describe('ethers reads what was signed: its hash, its sender, its call', () => {
  test.each(['ethereum', 'bsc'] as const)('%s, type 2 and type 0, with nonces of every length', (network) => {
    const order = orderOn(network);
    const { maxFeePerGas: _most, maxPriorityFeePerGas: _tip, ...rest } = evmDraft(order) as Extract<Draft, { type: 2 }>;
    const legacy: Draft = { ...rest, type: 0, gasPrice: '50000000' };
    const nonces = [0, 1, 127, 128, 255, 256, 65_536, 2 ** 40];
    const drafts = nonces.flatMap((nonce) => [evmDraft(order, { nonce }), { ...legacy, nonce }]);
    for (const draft of drafts) {
      const { hash, bytes } = payload(order, draft).sign();
      const read = Transaction.from(bytes);
      expect(read.hash).toBe(hash);
      expect(read.from?.toLowerCase()).toBe(accounts.of('test', 'evm').address);
      expect([read.to?.toLowerCase(), read.data, read.value]).toEqual([order.contract, draft.data, 0n]);
      expect([Number(read.chainId), read.nonce, read.type]).toEqual([draft.chainId, draft.nonce, draft.type]);
      expect(read.gasLimit).toBe(90_000n);
      expect(read.maxFeePerGas ?? read.gasPrice).toBe(draft.type === 2 ? 3_000_000_000n : 50_000_000n);
      expect(read.serialized).toBe(bytes);
    }
  });
});

test('tronweb reads what was signed: its id, its signer, its call', async () => {
  const order = orderOn('tron');
  const draft = (await draftOf(order)) as Extract<Draft, { family: 'tron' }>;
  const { hash, bytes } = payload(order, draft).sign();
  const proto = (
    globalThis as { TronWebProto?: { Transaction: { deserializeBinary(b: Uint8Array): ProtoTransaction } } }
  ).TronWebProto;
  const read = proto?.Transaction.deserializeBinary(Buffer.from(bytes, 'hex')) as ProtoTransaction;
  const raw = Buffer.from(read.getRawData().serializeBinary()).toString('hex');
  expect(raw).toBe(draft.rawDataHex);
  const signature = Buffer.from(read.getSignatureList_asU8()[0] as Uint8Array).toString('hex');
  expect(Buffer.from(read.getSignatureList_asU8()[0] as Uint8Array)).toHaveLength(65);
  const data = tronUtils.deserializeTx.deserializeTransaction('TriggerSmartContract', raw);
  expect(tronUtils.transaction.txPbToTxID(tronUtils.transaction.txJsonToPb({ raw_data: data }))).toContain(hash);
  const wallet = TronWeb.address.toHex(accounts.of('test', 'tron').address).toLowerCase();
  expect(tronUtils.crypto.ecRecover(hash, signature).toLowerCase()).toBe(wallet);
  expect(data.contract[0].parameter.value.owner_address.toLowerCase()).toBe(wallet);
  expect(payload(order, draft).validity).toEqual({ kind: 'time', expiresAt: START + 60_000 });
});

type ProtoTransaction = {
  getRawData(): { serializeBinary(): Uint8Array };
  getSignatureList_asU8(): Uint8Array[];
};

test('web3.js reads what was signed: its signature, its payer, its message', () => {
  const order = orderOn('solana');
  const draft = solanaDraft(order) as Extract<Draft, { family: 'solana' }>;
  const { hash, bytes } = payload(order, draft).sign();
  const read = VersionedTransaction.deserialize(Buffer.from(bytes, 'base64'));
  expect(read.signatures).toHaveLength(1);
  expect(base58.encode(read.signatures[0] as Uint8Array)).toBe(hash);
  const wallet = accounts.of('test', 'solana').address;
  expect(read.message.staticAccountKeys[0]?.toBase58()).toBe(wallet);
  const message = read.message.serialize();
  expect(Buffer.from(message).toString('base64')).toBe(draft.messageBase64);
  expect(ed25519.verify(read.signatures[0] as Uint8Array, message, new PublicKey(wallet).toBytes())).toBe(true);
});

test('a version 0 message without lookup tables is read as web3.js reads it, and signed', () => {
  const order = orderOn('solana');
  const compiled = new TransactionMessage({
    payerKey: new PublicKey(accounts.of('test', 'solana').address),
    recentBlockhash: new PublicKey(Buffer.alloc(32, 5)).toBase58(),
    instructions: solanaSteps(order),
  }).compileToV0Message();
  const bytes = Buffer.from(compiled.serialize());
  const read = readMessage(bytes);
  const theirs = VersionedMessage.deserialize(bytes);
  expect(read?.instructions.map(({ program }) => program)).toEqual(
    theirs.compiledInstructions.map((one) => theirs.staticAccountKeys[one.programIdIndex]?.toBase58()),
  );
  const draft: Draft = { family: 'solana', messageBase64: bytes.toString('base64'), lastValidBlockHeight: 1 };
  expect(payload(order, draft).sign().hash).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,88}$/);
});

test('a legacy message is read as web3.js reads it, account for account', () => {
  const order = orderOn('solana');
  const draft = solanaDraft(order) as Extract<Draft, { family: 'solana' }>;
  const bytes = Buffer.from(draft.messageBase64, 'base64');
  const [ours, theirs] = [readMessage(bytes), Message.from(bytes)];
  const keys = theirs.accountKeys.map((key) => key.toBase58());
  expect(ours?.instructions).toEqual(
    theirs.instructions.map((one) => ({
      program: keys[one.programIdIndex],
      accounts: one.accounts.map((at) => keys[at]),
      data: Buffer.from(base58.decode(one.data)),
    })),
  );
  expect([...(ours?.writable ?? [])]).toEqual(keys.filter((_key, at) => theirs.isAccountWritable(at)));
});

test('no byte of a TRON or Solana draft can be changed but those that a draft may choose', async () => {
  const bytesOf = (draft: Draft): Buffer =>
    draft.family === 'tron'
      ? Buffer.from(draft.rawDataHex, 'hex')
      : Buffer.from((draft as Extract<Draft, { family: 'solana' }>).messageBase64, 'base64');
  const withBytes = (draft: Draft, bytes: Buffer): Draft =>
    draft.family === 'tron'
      ? { ...draft, rawDataHex: bytes.toString('hex') }
      : ({ ...draft, messageBase64: bytes.toString('base64') } as Draft);
  for (const network of ['tron', 'solana'] as const) {
    const order = orderOn(network);
    const draft = await draftOf(order);
    const honest = bytesOf(draft);
    const free: number[] = [];
    for (let at = 0; at < honest.length; at++) {
      const changed = Buffer.from(honest);
      changed[at] = (changed[at] as number) ^ 1;
      try {
        payload(order, withBytes(draft, changed));
        free.push(at);
      } catch (error) {
        expect(error).toMatchObject({ code: 'draft' });
      }
      expect(() => payload(order, withBytes(draft, honest.subarray(0, at)))).toThrow(/^the draft /);
    }
    expect(() => payload(order, withBytes(draft, Buffer.concat([honest, Buffer.of(0)])))).toThrow(/^the draft /);
    // TRON: reference block 2 + 8, expiration 6, timestamp 6, fee limit 4. Solana: block hash 32, compute limit 4 and price 8
    // less the bytes that exceed the cap, memo 4.
    expect(free.length).toBeLessThanOrEqual(network === 'tron' ? 26 : 48);
    expect(free.length).toBeGreaterThan(15);
  }
});

test.each(NETWORK_NAMES)('the same draft on %s is the same payload, and another draft another', async (network) => {
  const order = orderOn(network);
  const [one, again, other] = [await draftOf(order), await draftOf(order), await draftOf(order, 1)];
  expect(payload(order, again).sign()).toEqual(payload(order, one).sign());
  expect(payload(order, other).digest).not.toBe(payload(order, one).digest);
});
