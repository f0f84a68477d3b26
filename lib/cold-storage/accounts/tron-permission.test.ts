// A TRON account with several keys in a request: its terms, its bytes and its signatures, without a chain.

import { utils } from 'tronweb';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeItem } from './describe';
import type { Item } from './item';
import { tronPermissionAccount, type TronPermissionTerms } from './tron-permission';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { secpAccount } from '@/lib/treasury/wallets/secp-account';
import { tronAddress as addressOfKey } from '@/lib/treasury/wallets/derivation';
import { makeRequest, differences } from '@/lib/cold-storage/returns/request-file';

const spec = networkSpec('live', 'tron', 'public') as NetworkSpec;
const CREATED = new Date('2026-11-29T12:00:00Z');
const ID = `cr_${'a1B2'.repeat(5)}zZ`;
const [account, to] = ['11', '22'].map((byte) => tronAddress(byte.repeat(20))) as [string, string];
const keys = [1, 2, 3].map((byte) => secpAccount(new Uint8Array(32).fill(byte), addressOfKey));
const terms: TronPermissionTerms = {
  ...{ kind: 'tron-permission', id: 2, threshold: 3 },
  keys: keys.map(({ address }, index) => ({ address, weight: index === 0 ? 2 : 1 })),
};

let unsigned: string;
let item: Item;
beforeAll(async () => {
  const { contract } = spec.tokens.USDT!;
  const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1', timestamp: CREATED.getTime() };
  const life = { expiration: CREATED.getTime() + 5_400_000, feeLimit: 30_000_000n };
  const transfer = { owner: account, contract, to, amount: 1_250_500_000n, ...block, ...life, permissionId: 2 };
  unsigned = (await writeTronDraft(transfer, 'i')).unsigned;
  item = describeItem(spec, { intent: `${ID}_1`, unsigned, from: account }, terms);
});

/** Why a request with these terms would be refused; none: it would be signed. */
const refused = (given: TronPermissionTerms): readonly string[] =>
  differences(makeRequest({ id: ID, items: [item], spec, created: CREATED, terms: given }), { to, now: CREATED });

it('the bytes and the terms together say what is moved, from where, and what it may cost', () => {
  expect(item).toMatchObject({ from: account, to, amount: '1250500000', currency: 'USDT' });
  const bytes = unsigned.length / 2 + 3 + 3 * 67 + 64;
  expect(Number(item.feeCap)).toBe(30_000_000 + 1_000_000 + bytes * 1000);
  expect(refused(terms)).toEqual([]);
});

describe('terms that are not those of the bytes are refused', () => {
  it.each<[string, Partial<TronPermissionTerms>, RegExp]>([
    ['another permission', { id: 3 }, /Permission_id: the file says that permission 3 signs, the bytes say 2/],
    ['the owner permission', { id: 0 }, /Permission_id/],
    ['the permission of a witness', { id: 1 }, /permission 1 is that of a witness/],
    ['a key less', { keys: terms.keys.slice(1) }, /feeCap/],
    ['a key twice', { keys: [terms.keys[0]!, terms.keys[0]!, terms.keys[1]!] }, /a key is named twice/],
    ['a threshold that no keys reach', { threshold: 5 }, /less weight than is needed/],
  ])('%s', (_, change, expected) => expect(refused({ ...terms, ...change }).join()).toMatch(expected));

  it('on a network without permissions', () => {
    const solana = networkSpec('live', 'solana', 'public') as NetworkSpec;
    expect(() => tronPermissionAccount(solana, terms)).toThrow(BadDraft);
  });
});

describe('signatures', () => {
  const signedBy = (...at: readonly number[]) =>
    new Map(at.map((index) => [keys[index]!.address, keys[index]!.sign(opened().payload(item))]));
  const opened = () => tronPermissionAccount(spec, terms);
  const finish = (signatures: ReadonlyMap<string, Uint8Array>) => {
    const { completion } = opened();
    if (completion.kind !== 'signatures') throw new Error('a permission needs signatures only');
    return completion.finish(item, signatures);
  };

  it('are those of the keys by tronweb’s own recovery, over the id of the transaction', () => {
    const signatures = signedBy(0, 1, 2);
    const { hash } = finish(signatures);
    for (const [signer, signature] of signatures) {
      expect(opened().isSignedBy(item, signer, signature)).toBe(true);
      expect(utils.address.fromHex(utils.crypto.ecRecover(hash, Buffer.from(signature).toString('hex')))).toBe(signer);
      for (const { address } of keys.filter((key) => key.address !== signer))
        expect(opened().isSignedBy(item, address, signature)).toBe(false);
    }
  });

  it('go into the transaction as few as reach the threshold, the heaviest first', () => {
    const countOf = (...at: readonly number[]): number => {
      const { bytes } = finish(signedBy(...at));
      return Math.round((bytes.length / 2 - unsigned.length / 2) / 67);
    };
    expect([countOf(0, 1, 2), countOf(2, 0), countOf(1, 0)]).toEqual([2, 2, 2]);
    const own = Buffer.from(signedBy(0).get(keys[0]!.address)!).toString('hex');
    expect(finish(signedBy(0, 1, 2)).bytes).toContain(own);
  });
});
