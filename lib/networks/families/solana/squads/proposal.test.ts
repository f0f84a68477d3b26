// The transfer out of a Squads vault as two authors write it: our writer by @solana/web3.js, and our strict reader, which encodes it again. A
// message that @sqds/multisig 2.1.4 made of the same facts is the third.

import { Keypair, Message } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { MAX_MEMBERS, type SquadsTransfer } from '@/lib/networks/sending/squads';
import { squadsCase, vaultOf } from '@/testing/cold-storage/squads';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { BY_SQUADS } from './by-squads';
import { vaultAddress, vaultIndexOf } from './program';
import { proposalFee, readProposal, signedProposal } from './read-proposal';
import { writeProposal } from './write-proposal';

const spec = networkSpec('live', 'solana', 'public') as NetworkSpec;
/** The facts of the message that @sqds/multisig made. */
const PUBLISHED: SquadsTransfer = {
  ...{ multisig: fakeKey('squads multisig'), vaultIndex: 0, index: 7 },
  members: [fakeKey('member 1'), fakeKey('member 2')],
  ...{ to: fakeKey('refund wallet'), mint: spec.tokens.USDT!.contract, decimals: 6, amount: 1_250_500_000n },
  ...{ nonceAccount: fakeKey('nonce account'), nonceValue: fakeKey('nonce value') },
  ...{ unitLimit: 260_000, unitPrice: 1000n },
};

let transfer: SquadsTransfer;
beforeAll(async () => void ({ transfer } = await squadsCase()));

const read = (unsigned: string): SquadsTransfer => readProposal(unsigned, transfer.to);
const refused = (bytes: Uint8Array): boolean => {
  try {
    read(Buffer.from(bytes).toString('base64'));
    return false;
  } catch (error) {
    if (error instanceof BadDraft) return true;
    throw error;
  }
};

it('is written byte by byte as the library of Squads writes it', async () => {
  expect(await writeProposal(PUBLISHED)).toBe(BY_SQUADS.message);
  expect(readProposal(BY_SQUADS.message, PUBLISHED.to)).toEqual(PUBLISHED);
  expect([0, 3].map((index) => vaultAddress(PUBLISHED.multisig, index))).toEqual(BY_SQUADS.vaults);
});

it('is read as it was written, with each number of members and each vault', async () => {
  for (let members = 1; members <= MAX_MEMBERS; members++) {
    const { transfer: one } = await squadsCase({ members, vaultIndex: members * 60 });
    expect(readProposal(await writeProposal(one), one.to)).toEqual(one);
  }
});

it('finds the vault of a multisig, and none for another address', () => {
  expect(vaultIndexOf(transfer.multisig, vaultOf(transfer.multisig, 5))).toBe(5);
  expect(vaultIndexOf(transfer.multisig, transfer.to)).toBeNull();
});

it('is not written for more members than a transaction has room for', async () => {
  const members = Array.from({ length: MAX_MEMBERS + 1 }, () => Keypair.generate().publicKey.toBase58());
  await expect(writeProposal({ ...transfer, members })).rejects.toThrow('longer than a transaction');
});

it('is not written with an amount that the network does not have', async () => {
  for (const amount of [0n, -1n, 1n << 64n])
    await expect(writeProposal({ ...transfer, amount })).rejects.toThrow('its amount');
});

describe('other bytes', () => {
  it('are refused: each changed byte is, or shows as another fact', async () => {
    const unsigned = await writeProposal(transfer);
    const bytes = Buffer.from(unsigned, 'base64');
    const silent = Array.from(bytes.keys()).filter((at) => {
      const other = Buffer.from(bytes);
      other[at]! ^= 1;
      if (refused(other)) return false;
      const found = read(other.toString('base64'));
      return Object.keys(transfer).every(
        (name) => String(found[name as keyof SquadsTransfer]) === String(transfer[name as keyof SquadsTransfer]),
      );
    });
    expect(silent).toEqual([]);
  });

  it('are refused that are cut short, go on, or pay another wallet', async () => {
    const unsigned = await writeProposal(transfer);
    const bytes = Buffer.from(unsigned, 'base64');
    expect(refused(bytes)).toBe(false);
    expect(refused(bytes.subarray(0, -1))).toBe(true);
    expect(refused(Buffer.concat([bytes, Buffer.of(0)]))).toBe(true);
    expect(() => readProposal(unsigned, transfer.nonceAccount)).toThrow(BadDraft);
    expect(() => readProposal(` ${unsigned}`, transfer.to)).toThrow(BadDraft);
  });

  it('are refused in which an instruction is left out, twice there, or in another place', async () => {
    const message = Message.from(Buffer.from(await writeProposal(transfer), 'base64'));
    const { instructions } = message;
    const withInstructions = (changed: typeof instructions): Uint8Array => {
      const { header, accountKeys, recentBlockhash } = message;
      return new Message({ header, accountKeys, recentBlockhash, instructions: changed }).serialize();
    };
    expect(refused(withInstructions(instructions))).toBe(false);
    for (const at of instructions.keys()) {
      const one = instructions[at]!;
      const others = instructions.toSpliced(at, 1);
      expect([at, refused(withInstructions(others))]).toEqual([at, true]);
      expect([at, refused(withInstructions([...instructions, one]))]).toEqual([at, true]);
    }
    expect(refused(withInstructions(instructions.toReversed()))).toBe(true);
    expect(refused(withInstructions([...instructions.slice(0, -2), instructions.at(-1)!, instructions.at(-2)!]))).toBe(
      true,
    );
  });
});

it('costs a fee for each signature', () => {
  const of = (members: readonly string[]): bigint => proposalFee({ members, unitLimit: 200_000, unitPrice: 5n });
  expect([of(['a']), of(['a', 'b', 'c'])]).toEqual([5001n, 15_001n]);
});

it('is complete only with the signature of every member', async () => {
  const { finish } = signedProposal(await writeProposal(transfer), transfer.to);
  const signature = new Uint8Array(64).fill(7);
  expect(Buffer.from(finish([signature, signature]).bytes, 'base64')[0]).toBe(2);
  for (const some of [[], [signature], [signature, new Uint8Array()], [signature, signature, signature]])
    expect(() => finish(some)).toThrow('a member has not signed it');
});
