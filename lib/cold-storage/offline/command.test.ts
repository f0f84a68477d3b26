// The program of the machine without a network: what it shows, what it signs, and what it refuses. Its signatures are verified by the
// chains' own libraries.

import { base58 } from '@scure/base';
import { Message, Transaction as SolanaTransaction } from '@solana/web3.js';
import { Transaction } from 'ethers';
import { utils } from 'tronweb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '@/lib/cold-storage/accounts/item';
import { plainAccount } from '@/lib/cold-storage/accounts/plain';
import { requestText } from '@/lib/cold-storage/returns/request-file';
import { parseSigned } from '@/lib/cold-storage/returns/signed-file';
import type { NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { CREATED, requestCase, rewritten, type RequestCase } from '@/testing/cold-storage/request-files';
import { VECTORS } from '@/lib/treasury/wallets/published-vectors';
import { runOffline } from './command';

const FAMILIES: readonly NetworkFamily[] = ['evm', 'tron', 'solana'];
const [VECTOR] = VECTORS;

type Over = {
  readonly typed?: string | null;
  readonly mode?: number;
  readonly files?: Readonly<Record<string, string>>;
};

async function run(given: RequestCase, words: readonly string[], over: Over = {}) {
  const files = new Map(Object.entries({ request: requestText(given.request), key: given.keyFile, ...over.files }));
  const lines: string[] = [];
  const asked: string[] = [];
  const fail = (code: string, path: string): never => {
    throw Object.assign(new Error(code), { syscall: 'open', code, path });
  };
  const code = await runOffline(words, {
    readFile: (file) => Buffer.from(files.get(file) ?? fail('ENOENT', file)),
    writeNew: (file, text) => void (files.has(file) ? fail('EEXIST', file) : files.set(file, text)),
    modeOf: () => over.mode ?? 0o100600,
    now: () => new Date(CREATED.getTime() + 1000),
    print: (line) => void lines.push(line),
    ask: async (text) => (asked.push(text), over.typed === undefined ? 'yes' : over.typed),
  });
  return { code, text: lines.join('\n'), files, asked };
}

const signWords = (given: RequestCase) => ['sign', 'request', '--to', given.to, '--key-file', 'key'];

function finished(spec: NetworkSpec, item: Item, signature: Uint8Array): string {
  const { completion } = plainAccount(spec, item.from);
  if (completion.kind !== 'signatures') throw new Error('a plain account needs its signature only');
  return completion.finish(item, new Map([[item.from, signature]])).bytes;
}

/** The signer of a transaction by the chain's own library, which verifies the signature. */
const SIGNER: Readonly<
  Record<NetworkFamily, (item: Item, signature: Uint8Array, given: RequestCase) => string | null>
> = {
  evm: (item, signature, { spec }) => Transaction.from(finished(spec, item, signature)).from?.toLowerCase() ?? null,
  tron: (item, signature, { spec }) => {
    const digest = Buffer.from(plainAccount(spec, item.from).payload(item)).toString('hex');
    return utils.address.fromHex(utils.crypto.ecRecover(digest, Buffer.from(signature).toString('hex')));
  },
  solana: (item, signature) => {
    const message = Message.from(Buffer.from(item.unsigned, 'base64'));
    const transaction = SolanaTransaction.populate(message, [base58.encode(signature)]);
    return transaction.verifySignatures() ? transaction.feePayer!.toBase58() : null;
  },
};

describe.each(FAMILIES)('%s', (family) => {
  let given: RequestCase;
  beforeAll(async () => void (given = await requestCase(family)));

  it('shows every destination in full, the amounts, the totals and the fees', async () => {
    const { code, text } = await run(given, ['show', 'request', '--to', given.to]);
    expect(code).toBe(0);
    for (const { to, contract } of given.request.items) {
      expect(text.toLowerCase()).toContain(to.toLowerCase());
      expect(text.toLowerCase()).toContain(contract.toLowerCase());
    }
    expect(text).toContain('1250.5');
    expect(text).toMatch(/Total {7}[\d.]+ USDT/);
    expect(text).toMatch(/Fees {8}at most [\d.]+ (?:ETH|TRX|SOL)/);
    expect(text.split('\n').every((line) => line.length <= 120)).toBe(true);
    const json = JSON.parse((await run(given, ['show', 'request', '--to', given.to, '--json'])).text);
    expect(json).toEqual({ ok: true, differences: [], request: given.request });
  });

  it('signs each transfer with the key of the wallet, and writes signatures only', async () => {
    const { code, text, files } = await run(given, signWords(given));
    expect(code).toBe(0);
    const signed = parseSigned(Buffer.from(files.get('request.signed')!));
    expect(signed).toMatchObject({ id: given.request.id, request: given.request.sha256 });
    for (const [index, item] of given.request.items.entries()) {
      const signature = Buffer.from(signed.signers[0]!.signatures[index]!, 'hex');
      expect(SIGNER[family](item, signature, given)).toBe(given.from);
    }
    for (const secret of secretsOf(given)) expect([text, files.get('request.signed')].join()).not.toContain(secret);
  });

  it('signs nothing without a clear yes, or the sha256 in its place', async () => {
    for (const typed of ['', 'no', 'y', 'YES ']) {
      const { code, files } = await run(given, signWords(given), { typed });
      expect([typed, code, files.has('request.signed')]).toEqual([typed, 3, false]);
    }
    expect(await run(given, signWords(given), { typed: null })).toMatchObject({ code: 1 });
    const right = await run(given, [...signWords(given), '--confirm', given.request.sha256], { typed: null });
    expect([right.code, right.asked]).toEqual([0, []]);
    const wrong = await run(given, [...signWords(given), '--confirm', 'f'.repeat(64)], { typed: null });
    expect([wrong.code, wrong.files.has('request.signed')]).toEqual([3, false]);
  });

  it('signs nothing with the key of another wallet', async () => {
    const other = await requestCase(family);
    const { code, text, files } = await run(given, signWords(given), { files: { key: other.keyFile } });
    expect([code, files.has('request.signed')]).toEqual([3, false]);
    expect(text).toContain(`from: the key is of ${other.from}`);
  });

  it('signs nothing to another destination than the person who signs has named or pinned', async () => {
    const name = `${given.spec.network}@${given.spec.chain}`;
    const pins = { pins: `# our wallets\n${name}=${given.to}\n`, wrong: `${name}=${given.from}\n`, none: '' };
    const with_ = (file: string) => ['sign', 'request', '--to-file', file, '--key-file', 'key'];
    expect(await run(given, with_('pins'), { files: pins })).toMatchObject({ code: 0 });
    expect(await run(given, with_('wrong'), { files: pins })).toMatchObject({ code: 3 });
    expect(await run(given, with_('none'), { files: pins })).toMatchObject({ code: 1 });
    const wrong = await run(given, ['sign', 'request', '--to', given.from, '--key-file', 'key']);
    expect(wrong).toMatchObject({ code: 3, text: expect.stringContaining('REFUSED') });
    expect(await run(given, ['sign', 'request', '--key-file', 'key'])).toMatchObject({ code: 1 });
  });

  it('refuses a rewritten request with exit code 3, and says what differs', async () => {
    const [first, ...others] = given.request.items as [Item, ...Item[]];
    const change = { ...given.request, items: [{ ...first, amount: '1' }, ...others] };
    const files = { request: Buffer.from(rewritten(change)).toString() };
    for (const words of [['show', 'request', '--to', given.to], signWords(given)]) {
      const { code, text, asked } = await run(given, words, { files });
      expect([code, asked]).toEqual([3, []]);
      expect(text).toContain('amount: the file says "1", the bytes say');
    }
    const cut = await run(given, signWords(given), { files: { request: requestText(given.request).slice(0, -2) } });
    expect(cut).toMatchObject({ code: 3, text: expect.stringContaining('REFUSED') });
  });

  it('prints a refusal and the content of a file without the control characters in it', async () => {
    const network = 'e\u001b[2K\u009b1A\nREQUEST OK\u202e';
    const files = { request: Buffer.from(rewritten({ ...given.request, network })).toString() };
    const totals = { request: Buffer.from(rewritten({ ...given.request, totals: { USDT: '\u009b1A' } })).toString() };
    for (const [over, options] of [
      [files, []],
      [totals, []],
      [totals, ['--json']],
    ] as const) {
      const shown = await run(given, ['show', 'request', '--to', given.to, ...options], { files: over });
      expect(shown.code).toBe(3);
      expect(shown.text).toContain('\\u009b1A');
      expect(shown.text).not.toMatch(/[\u001b\u009b\u202e]|^REQUEST OK/m);
    }
  });

  it('reads no key that others may read, and repeats no part of an unusable one', async () => {
    expect(await run(given, signWords(given), { mode: 0o100644 })).toMatchObject({
      code: 1,
      text: expect.stringContaining('chmod 600'),
    });
    for (const key of ['deadbeefcafe', `0x${'00'.repeat(32)}`, '[1,2,3]', `[${'255,'.repeat(63)}255]`, '']) {
      const { code, text, files } = await run(given, signWords(given), { files: { key } });
      expect([code, files.has('request.signed')]).toEqual([1, false]);
      if (key !== '') expect(text).not.toContain(key.slice(0, 12));
    }
  });

  it('writes over no file', async () => {
    const { code, files } = await run(given, [...signWords(given), '--out', 'key']);
    expect([code, files.get('key')]).toEqual([1, given.keyFile]);
  });
});

it.each([
  ['evm', "m/44'/60'/0'/0/0", VECTOR.evm[0].toLowerCase()],
  ['evm', "m/44'/60'/1'/0/0", VECTOR.evmSecondAccount.toLowerCase()],
  ['tron', "m/44'/195'/0'/0/0", VECTOR.tron[0]],
  ['solana', "m/44'/501'/0'/0'", VECTOR.solana[0]],
  ['solana', "m/44'/501'/1'", VECTOR.solanaElsewhere["m/44'/501'/1'"]],
] as const)('derives the %s key of %s from words as published', async (family, path, address) => {
  const given = await requestCase(family);
  const words = ['sign', 'request', '--to', given.to, '--words-file', 'words', '--path', path];
  const { code, text } = await run(given, words, { files: { words: `  ${VECTOR.mnemonic.toUpperCase()}\n` } });
  expect([code, /the key is of (\w+)/.exec(text)?.[1]]).toEqual([3, address]);
});

it.each([
  ['a word too many', `${VECTOR.mnemonic} zebra`, "m/44'/60'/0'/0/0"],
  ['a wrong checksum', 'zebra '.repeat(12), "m/44'/60'/0'/0/0"],
  ['no path', VECTOR.mnemonic, null],
  ['an invalid path', VECTOR.mnemonic, '44/60'],
  ['a path beyond the last index', VECTOR.mnemonic, 'm/9999999999'],
])('refuses words with %s, and repeats none of them', async (_, mnemonic, path) => {
  const given = await requestCase('evm');
  const words = [
    'sign',
    'request',
    '--to',
    given.to,
    '--words-file',
    'words',
    ...(path === null ? [] : ['--path', path]),
  ];
  const { code, text } = await run(given, words, { files: { words: mnemonic } });
  expect([code, /zebra|abandon/.test(text)]).toEqual([1, false]);
});

it.each([[[]], [['show']], [['sign', 'request']], [['show', 'request', '--to', 'x', '--out', 'y']], [['help']]])(
  'explains itself for the words %j, and does nothing',
  async (words) => {
    const given = await requestCase('tron');
    expect((await run(given, words)).code).toBe(1);
    expect((await run(given, ['--help'])).code).toBe(0);
  },
);

const secretsOf = ({ keyFile }: RequestCase): string[] => [
  keyFile.slice(2, 40),
  keyFile.replace(/^0x/, '').slice(0, 20),
];
