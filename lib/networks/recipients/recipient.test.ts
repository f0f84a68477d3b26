import { Keypair, PublicKey } from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { getAddress } from 'ethers';
import fc from 'fast-check';
import { TronWeb } from 'tronweb';
import { describe, expect, it } from 'vitest';
import type { NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS } from '@/lib/networks/networks';
import { readRecipient } from './recipient';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');
/** Twenty bytes of a possible wallet, not a system address. */
const twenty = bytes(20).filter((data) => data[0] !== 0);
const evm = twenty.map((data) => getAddress(`0x${hex(data)}`));
const tron = twenty.map((data) => TronWeb.address.fromHex(`41${hex(data)}`));
const solana = bytes(32).map((seed) => Keypair.fromSeed(seed).publicKey.toBase58());
const read = (family: NetworkFamily, typed: string) => readRecipient({ family }, typed);
const refused = (family: NetworkFamily, typed: string) => {
  const found = read(family, typed);
  return 'refused' in found ? found.refused.code : null;
};
/** A text with one character replaced by another of the alphabet. */
const changed = (text: string, alphabet: string, from: number) =>
  fc.tuple(fc.integer({ min: from, max: text.length - 1 }), fc.constantFrom(...alphabet)).map(([at, character]) => ({
    text: text.slice(0, at) + character + text.slice(at + 1),
    isOther: text[at] !== character,
  }));
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const runs = { numRuns: 60 };

describe('an address is accepted as wallets write it', () => {
  it('on EVM networks in lower case, in capitals or with its checksum, and is stored in lower case', () => {
    fc.assert(
      fc.property(evm, (address) => {
        const stored = address.toLowerCase();
        for (const typed of [address, stored, `0x${stored.slice(2).toUpperCase()}`, `  ${address}\n`]) {
          expect(read('evm', typed)).toEqual({ address: stored });
        }
        expect(read('evm', stored)).toEqual({ address: stored });
      }),
      runs,
    );
  });

  it('on TRON and Solana unchanged, character by character', () => {
    fc.assert(
      fc.property(tron, (address) => {
        expect(read('tron', ` ${address} `)).toEqual({ address });
      }),
      runs,
    );
    fc.assert(
      fc.property(solana, (address) => {
        expect(read('solana', address)).toEqual({ address });
      }),
      runs,
    );
  });
});

describe('typing errors are detected', () => {
  it('detects any wrong capital of an EVM checksum', () => {
    fc.assert(
      fc.property(evm, fc.integer({ min: 2, max: 41 }), (address, at) => {
        const letter = address[at] as string;
        const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        fc.pre(flipped !== letter);
        const typed = address.slice(0, at) + flipped + address.slice(at + 1);
        const digits = typed.slice(2);
        fc.pre(digits !== digits.toLowerCase() && digits !== digits.toUpperCase());
        expect(refused('evm', typed)).toBe('checksum');
      }),
      runs,
    );
  });

  it('accepts a changed checksummed EVM address only if the checksum matches the new address', () => {
    fc.assert(
      fc.property(
        evm.chain((address) => changed(address, '0123456789abcdefABCDEF', 2).map((one) => ({ address, ...one }))),
        ({ address, text, isOther }) => {
          fc.pre(isOther);
          const found = read('evm', text);
          if ('refused' in found) return;
          const digits = text.slice(2);
          const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
          if (found.address === address.toLowerCase()) expect(isMixed).toBe(false);
          else if (isMixed) expect(getAddress(text)).toBe(text);
        },
      ),
      runs,
    );
  });

  it('detects any wrong character of a TRON address', () => {
    fc.assert(
      fc.property(
        tron.chain((address) => changed(address, BASE58, 1)),
        ({ text, isOther }) => {
          fc.pre(isOther);
          expect(refused('tron', text)).toBe('checksum');
        },
      ),
      runs,
    );
  });

  it('detects nine of ten wrong characters on Solana, which has no checksum', () => {
    const typed = fc.sample(
      solana.chain((address) => changed(address, BASE58, 1)),
      { numRuns: 300, seed: 7 },
    );
    const wrong = typed.filter(({ isOther }) => isOther);
    const passed = wrong.filter(({ text }) => 'address' in read('solana', text));
    expect(passed.length / wrong.length).toBeLessThan(0.12);
  });

  it('reports text that is not an address of any network as malformed', () => {
    const none = ['', ' ', '0x', 'hello', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '0x12', `0x${'g'.repeat(40)}`];
    const odd = [
      `0x${'a'.repeat(41)}`,
      'a'.repeat(40),
      `0X${'a'.repeat(40)}`,
      '1'.repeat(1000),
      `0x${'a'.repeat(39)}​`,
    ];
    const families: NetworkFamily[] = ['evm', 'tron', 'solana'];
    for (const family of families)
      for (const text of [...none, ...odd]) expect(refused(family, text)).toBe('malformed');
    fc.assert(
      fc.property(fc.constantFrom(...families), fc.string(), (family, text) => 'refused' in read(family, text)),
    );
  });
});

describe('addresses that would lose the coins are refused', () => {
  it('refuses an address of another network and names that network', () => {
    const of: Record<NetworkFamily, string> = {
      evm: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      tron: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
      solana: 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
    };
    for (const [to, typed] of Object.entries(of)) {
      for (const family of Object.keys(of) as NetworkFamily[]) {
        const expected = family === to ? { address: typed } : { refused: { code: 'other_network', looksLike: to } };
        expect(read(family, typed)).toEqual(expected);
      }
    }
  });

  it('refuses the contract of every token on every network, test networks included', () => {
    for (const { family, tokens } of NETWORKS) {
      for (const { contract } of Object.values(tokens)) {
        const typed = family === 'evm' ? getAddress(contract) : contract;
        expect(refused(family, typed)).toBe('token_contract');
        expect(refused(family, contract)).toBe('token_contract');
      }
    }
  });

  it.each([
    ['evm', '0x0000000000000000000000000000000000000000', 'zero'],
    ['evm', '0x000000000000000000000000000000000000dEaD', 'zero'],
    ['evm', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'zero'],
    ['evm', '0x0000000000000000000000000000000000000001', 'cannot_receive'],
    ['evm', '0x0000000000000000000000000000000000001000', 'cannot_receive'],
    ['tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'zero'],
    ['tron', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'zero'],
    ['tron', TronWeb.address.fromHex(`41${'0'.repeat(33)}1000001`), 'cannot_receive'],
    ['solana', '11111111111111111111111111111111', 'zero'],
    ['solana', '1nc1nerator11111111111111111111111111111111', 'zero'],
    ['solana', 'SysvarC1ock11111111111111111111111111111111', 'cannot_receive'],
    ['solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'cannot_receive'],
    ['solana', new PublicKey(Uint8Array.from([1, ...Array<number>(31).fill(0)])).toBase58(), 'checksum'],
  ] as const)('refuses %s %s, which has no key (%s)', (family, typed, code) => {
    expect(refused(family, typed)).toBe(code);
  });

  it('refuses a token account on Solana, which people may mistake for their address', () => {
    fc.assert(
      fc.property(solana, (owner) => {
        const mint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
        const account = getAssociatedTokenAddressSync(mint, new PublicKey(owner)).toBase58();
        expect(refused('solana', account)).toBe('cannot_receive');
      }),
      { numRuns: 20 },
    );
  });
});
