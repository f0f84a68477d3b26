import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Keypair, Message, Transaction as SolanaTransaction, VersionedTransaction } from '@solana/web3.js';
import * as spl from '@solana/spl-token';
import { Interface, Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { TronWeb, utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import type { Draft } from './send';
import { BadDraft } from './send';
import { checkDraft, readDraft, signing } from './draft';
import { writeSolanaDraft } from '@/lib/networks/families/solana/sending/write-draft';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';

const token = new Interface(['function transfer(address to, uint256 value)']);
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const OWNER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const wallet = new Wallet(`0x${'11'.repeat(32)}`);
const keypair = Keypair.fromSeed(new Uint8Array(32).fill(7));
const blockhash = Keypair.fromSeed(new Uint8Array(32).fill(8)).publicKey.toBase58();

const evm = (over: object = {}) =>
  writeEvmDraft(
    {
      chainId: 1,
      nonce: 0,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: 30n * 10n ** 9n,
      gasLimit: 80_000n,
      contract: '0xdac17f958d2ee523a2206206994597c13d831ec7',
      to: `0x${'ab'.repeat(20)}`,
      amount: 1234n,
      ...over,
    },
    { intentId: 'intent_1', from: wallet.address.toLowerCase() },
  );
const tron = (over: object = {}) =>
  writeTronDraft(
    {
      owner: OWNER,
      contract: USDT,
      to: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
      amount: 30_401_259n,
      refBlockBytes: '5313',
      refBlockHash: '46a60be20a563ff1',
      expiration: 1_767_246_552_000,
      timestamp: 1_767_246_195_175,
      feeLimit: 30_000_000n,
      ...over,
    },
    'intent_1',
  );
const solana = (over: object = {}) =>
  writeSolanaDraft(
    {
      from: keypair.publicKey.toBase58(),
      to: blockhash,
      direct: false,
      mint: MINT,
      decimals: 6,
      amount: 12_340_000n,
      blockhash,
      unitLimit: 60_000,
      unitPrice: 1000n,
      memo: 'intent_1',
      nonceAccount: null,
      ...over,
    },
    1000,
  );
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('signed drafts match the chains’ own libraries', () => {
  it('an EVM transaction signs to the same bytes as with ethers', async () => {
    const draft = await evm();
    const parsed = Transaction.from(draft.unsigned);
    const { args } = token.parseTransaction({ data: parsed.data }) ?? {};
    expect([parsed.type, parsed.chainId, parsed.nonce, parsed.value, parsed.gasLimit]).toEqual([2, 1n, 0, 0n, 80_000n]);
    expect([String(args?.[0]).toLowerCase(), args?.[1]]).toEqual([`0x${'ab'.repeat(20)}`, 1234n]);
    const { payload, finish } = signing(draft);
    expect(`0x${hex(payload)}`).toBe(parsed.unsignedHash);
    const signed = await wallet.signTransaction(parsed);
    const { r, s, yParity } = Transaction.from(signed).signature!;
    const finished = finish(Buffer.concat([Buffer.from(r.slice(2) + s.slice(2), 'hex'), Uint8Array.of(yParity)]));
    expect(finished).toEqual({ bytes: signed, hash: Transaction.from(signed).hash });
  });

  it('a TRON transaction has the same id as in tronweb and passes its check', async () => {
    expect(hex(signing(await tron()).payload)).toBe('bbdac51a505f2178dae420dae69a964564494cb30d9d49f676c164d459c8ba02');
    const { address, privateKey } = utils.accounts.generateAccount();
    const web = new TronWeb({ fullHost: 'http://127.0.0.1:9' });
    const built = await web.transactionBuilder._triggerSmartContractLocal(
      USDT,
      'transfer(address,uint256)',
      {
        feeLimit: 30_000_000,
        blockHeader: {
          ref_block_bytes: '5313',
          ref_block_hash: '46a60be20a563ff1',
          expiration: 1_767_246_552_000,
          timestamp: 1_767_246_195_175,
        },
      },
      [
        { type: 'address', value: OWNER },
        { type: 'uint256', value: '77' },
      ],
      address.base58,
    );
    const draft = await tron({ owner: address.base58, to: OWNER, amount: 77n });
    expect(built.transaction.raw_data_hex).toBe(draft.unsigned);
    const signed = await web.trx.sign(built.transaction, privateKey);
    expect(utils.transaction.txCheck(signed)).toBe(true);
    const { payload, finish } = signing(draft);
    const own = secp256k1.sign(payload, Buffer.from(privateKey, 'hex'), { prehash: false, format: 'recovered' });
    const { bytes, hash } = finish(Buffer.concat([own.subarray(1), own.subarray(0, 1)]));
    expect(hash).toBe(signed.txID);
    expect(bytes).toContain(draft.unsigned);
  });

  it.each([false, true])(
    'web3.js reads the same content from a Solana message (paying a token account: %s)',
    async (direct) => {
      const owner = Keypair.generate().publicKey;
      const to = direct ? spl.getAssociatedTokenAddressSync(spl.NATIVE_MINT, owner) : owner;
      const draft = await solana({ to: to.toBase58(), direct });
      const { payload, finish } = signing(draft);
      const message = Message.from(payload);
      const transaction = SolanaTransaction.populate(message, []);
      const [transfer] = transaction.instructions.slice(-1);
      const { data, keys } = spl.decodeTransferCheckedInstruction(transfer!);
      expect(data).toMatchObject({ amount: 12_340_000n, decimals: 6 });
      const mint = keys.mint.pubkey;
      const destination = direct ? to : spl.getAssociatedTokenAddressSync(mint, owner);
      expect([keys.owner.pubkey, keys.destination.pubkey].map(String)).toEqual(
        [keypair.publicKey, destination].map(String),
      );
      expect(transaction.instructions.length).toBe(direct ? 4 : 5);
      const wire = new VersionedTransaction(message);
      wire.sign([keypair]);
      const finished = finish(wire.signatures[0]!);
      expect(finished.bytes).toBe(Buffer.from(wire.serialize()).toString('base64'));
      expect(wire.serialize().length).toBeLessThan(500);
    },
  );
});

describe('reading a draft back from its bytes', () => {
  const amounts = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
  const keyOf = (bytes: Uint8Array) => Keypair.fromSeed(bytes).publicKey.toBase58();
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

  it('returns every recipient and amount as written', async () => {
    await fc.assert(
      fc.asyncProperty(amounts, bytes(20), bytes(32), fc.nat(), async (amount, twenty, seed, number) => {
        const to = `0x${hex(twenty)}`;
        expect(readDraft(await evm({ to, amount, nonce: number }))).toMatchObject({
          to,
          amount,
          validity: { nonce: number },
        });
        const base58 = TronWeb.address.fromHex(`41${hex(twenty)}`);
        expect(readDraft(await tron({ to: base58, amount }))).toMatchObject({ to: base58, amount });
        const key = keyOf(seed);
        expect(readDraft(await solana({ to: key, amount }))).toMatchObject({ to: key, amount, intentId: 'intent_1' });
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['evm', evm],
    ['tron', tron],
    ['solana', solana],
  ] as const)(
    'reads a draft with any changed byte as a different payment or not at all (%s)',
    async (_family, write) => {
      const draft = await write();
      const encoding = draft.family === 'solana' ? 'base64' : 'hex';
      const prefix = draft.family === 'evm' ? '0x' : '';
      const whole = Buffer.from(draft.unsigned.slice(prefix.length), encoding);
      const before = JSON.stringify(readDraft(draft), (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      for (let at = 0; at < whole.length; at++) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ 1;
        const other = { ...draft, unsigned: prefix + changed.toString(encoding) } as Draft;
        const { payload } = signing(draft);
        try {
          const facts = readDraft(other);
          // The signed payload is what was read: every change reaches the signature.
          expect(hex(signing(other).payload)).not.toBe(hex(payload));
          expect(JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).toBeTypeOf(
            'string',
          );
        } catch (error) {
          expect(error).toBeInstanceOf(BadDraft);
        }
      }
      expect(before).toContain('amount');
    },
  );

  it('refuses bytes that contain more than a transfer', async () => {
    const [onEvm, onTron, onSolana] = [await evm(), await tron(), await solana()];
    const approve = new Interface(['function approve(address a, uint256 b)']);
    const other = { ...Transaction.from(onEvm.unsigned).toJSON(), from: undefined };
    const asTransaction = (over: object) => Transaction.from({ ...other, ...over }).unsignedSerialized;
    const refused = [
      { ...onEvm, unsigned: asTransaction({ data: approve.encodeFunctionData('approve', [wallet.address, 1]) }) },
      { ...onEvm, unsigned: asTransaction({ value: 1 }) },
      { ...onEvm, unsigned: asTransaction({ accessList: [[wallet.address, []]] }) },
      { ...onEvm, unsigned: asTransaction({ to: null }) },
      { ...onEvm, unsigned: `${onEvm.unsigned}00` },
      { ...onEvm, unsigned: '' },
      // A memo (field 10), another permission, and a second field of a number.
      { ...onTron, unsigned: `${onTron.unsigned}520141` },
      { ...onTron, unsigned: onTron.unsigned + onTron.unsigned },
      { ...onTron, unsigned: 'zz' },
      { ...onSolana, unsigned: '' },
      { ...onSolana, lastValidBlockHeight: Number.NaN },
    ] as Draft[];
    for (const draft of refused) expect(() => readDraft(draft)).toThrow(BadDraft);
  });

  it('checks the draft against the order, the wallet, the chain and the fee', async () => {
    const [onEvm, onSolana] = [await evm(), await solana()];
    const order = {
      intentId: 'intent_1',
      currency: 'USDT',
      contract: '0xdac17f958d2ee523a2206206994597c13d831ec7',
      to: `0x${'AB'.repeat(20)}`,
      amount: 1234n,
    };
    const expected = { order, from: wallet.address, chainId: 1, mostFee: 80_000n * 30n * 10n ** 9n };
    expect(checkDraft(onEvm, expected)).toMatchObject({ amount: 1234n });
    const wrong = [
      { ...expected, order: { ...order, amount: 1235n } },
      { ...expected, order: { ...order, to: wallet.address } },
      { ...expected, order: { ...order, contract: wallet.address } },
      { ...expected, order: { ...order, intentId: 'intent_2' } },
      { ...expected, from: `0x${'cd'.repeat(20)}` },
      { ...expected, chainId: 56 },
      { ...expected, mostFee: 1n },
    ];
    for (const one of wrong) expect(() => checkDraft(onEvm, one)).toThrow(BadDraft);
    const other = { ...onSolana, intentId: 'intent_2' };
    const paid = readDraft(onSolana);
    const solanaOrder = { ...order, intentId: 'intent_2', contract: MINT, to: paid.to, amount: paid.amount };
    const wanted = { order: solanaOrder, from: paid.from, chainId: null, mostFee: 10n ** 9n };
    expect(() => checkDraft(other, wanted)).toThrow('another intent');
  });
});
