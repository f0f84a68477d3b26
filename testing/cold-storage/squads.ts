// A Squads multisig without its program: requests of its vault as the members sign them, the account of a multisig as the chain has it, and a
// Solana node that reports both. The program itself cannot be had here, so the node only says what became of a transaction.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { Keypair, PublicKey } from '@solana/web3.js';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { SquadsTerms } from '@/lib/cold-storage/accounts/squads';
import { makeRequest } from '@/lib/cold-storage/returns/request-file';
import { openSender } from '@/lib/networks/families/clients';
import { writeProposal } from '@/lib/networks/families/solana/squads/write-proposal';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { SquadsTransfer } from '@/lib/networks/sending/squads';
import { silentLog } from '@/testing/chain-clock';
import { TestClock } from '@/testing/fixtures';
import { payment } from '@/testing/solana/fake-solana-node';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { ata, localSolana, pay, side, startSolana, T0, usdt } from '@/testing/solana/solana-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { CREATED, type RequestCase } from './request-files';

const PROGRAM = new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf');
const SYSTEM = '11111111111111111111111111111111';

export const vaultOf = (multisig: string, index = 0): string =>
  PublicKey.findProgramAddressSync(
    [Buffer.from('multisig'), new PublicKey(multisig).toBuffer(), Buffer.from('vault'), Uint8Array.of(index)],
    PROGRAM,
  )[0].toBase58();

const keyFileOf = ({ secretKey }: Keypair): string => JSON.stringify([...secretKey]);
const addressOf = ({ publicKey }: Keypair): string => publicKey.toBase58();

export type SquadsCase = RequestCase & {
  readonly transfer: SquadsTransfer;
  readonly terms: SquadsTerms;
  /** Those of the members, in their order. */
  readonly keyFiles: readonly string[];
};

/** A transfer out of the vault of a multisig, of which these many members sign. `fees` is a multiple of a usual price. */
export async function squadsCase({ members = 2, fees = 1n, vaultIndex = 0 } = {}): Promise<SquadsCase> {
  const spec = networkSpec('live', 'solana', 'public') as NetworkSpec;
  const pairs = Array.from({ length: members }, () => Keypair.generate());
  const [multisig, to, nonceAccount, nonceValue] = Array.from({ length: 4 }, () => addressOf(Keypair.generate())) as [
    string,
    string,
    string,
    string,
  ];
  const { contract: mint, decimals } = spec.tokens.USDT!;
  const transfer: SquadsTransfer = {
    ...{ multisig, vaultIndex, index: 7, members: pairs.map(addressOf), to, mint, decimals, amount: 1_250_500_000n },
    ...{ nonceAccount, nonceValue, unitLimit: 260_000, unitPrice: fees * 1000n },
  };
  const terms: SquadsTerms = { kind: 'squads', recipient: to, members: [...transfer.members] };
  const [id, from] = [`cr_${'a1B2'.repeat(5)}zZ`, vaultOf(multisig, vaultIndex)];
  const unsigned = await writeProposal(transfer);
  const items = [describeItem(spec, { intent: `${id}_1`, from, unsigned }, terms)];
  const request = makeRequest({ id, items, spec, created: CREATED, terms });
  const keyFiles = pairs.map(keyFileOf);
  return { ...{ family: 'solana', spec, request, to, from, transfer, terms, keyFiles }, keyFile: keyFiles[0]! };
}

/** `mask`: 1 proposes, 2 votes, 4 executes. */
type MultisigPlan = {
  threshold: number;
  timeLock: number;
  lastIndex: number;
  members: readonly { readonly address: string; readonly mask: number }[];
};

/** The account of a multisig, with room for one more member. */
export function multisigAccount({ threshold, timeLock, lastIndex, members }: MultisigPlan): Buffer {
  const fixed = Buffer.alloc(2 + 4 + 8 + 8 + 1 + 1);
  fixed.writeUInt16LE(threshold, 0);
  fixed.writeUInt32LE(timeLock, 2);
  fixed.writeBigUInt64LE(BigInt(lastIndex), 6);
  const count = Buffer.alloc(4);
  count.writeUInt32LE(members.length);
  return Buffer.concat([
    createHash('sha256').update('account:Multisig').digest().subarray(0, 8),
    Buffer.alloc(64),
    // Threshold, time lock, newest and newest stale index, no collector of rents, and a byte of the address.
    fixed,
    count,
    ...members.flatMap(({ address, mask }) => [new PublicKey(address).toBuffer(), Buffer.of(mask)]),
    Buffer.alloc(33),
  ]);
}

export type SquadsChain = Awaited<ReturnType<typeof startSquads>>;

/** A node with a multisig of three members, of whom two must approve. The vault holds 1000 USDT, and the refund wallet 1 USDT. */
export async function startSquads() {
  const node = await startSolana();
  const pairs = [Keypair.generate(), Keypair.generate(), Keypair.generate()] as const;
  const members = pairs.map(addressOf) as [string, string, string];
  const [multisig, nonceAccount] = [addressOf(Keypair.generate()), addressOf(Keypair.generate())];
  const [vault, refund] = [vaultOf(multisig), accounts.of('test', 'solana').address];
  node.mine([pay(node, 1000_000_000n, vault, usdt)]);
  node.mine([pay(node, 1_000_000n, refund, usdt)]);
  const plan: MultisigPlan = {
    ...{ threshold: 2, timeLock: 0, lastIndex: 6 },
    members: members.map((address) => ({ address, mask: 7 })),
  };
  const nonce = { authority: members[0], value: fakeKey('nonce 1') };
  const sent: string[] = [];
  const state = { lamports: 1_000_000_000, sent, simulated: null as unknown };
  const accountOf = (key: string): { lamports: number; owner: string; data: Buffer } | null => {
    if (key === multisig) return { lamports: 1, owner: PROGRAM.toBase58(), data: multisigAccount(plan) };
    if (key === nonceAccount) return { lamports: 1, owner: SYSTEM, data: nonceData(nonce) };
    if ((members as readonly string[]).includes(key))
      return { lamports: state.lamports, owner: SYSTEM, data: Buffer.alloc(0) };
    return null;
  };
  const slot = (): number => node.blocks.at(-1)!.slot;
  node.tamper = ({ method, params }, result) => {
    switch (method) {
      case 'getMultipleAccounts': {
        const { context, value } = result as { context: object; value: unknown[] };
        const own = (params[0] as string[]).map(accountOf);
        return { context, value: value.map((given, at) => (own[at] ? inBase64(own[at]) : given)) };
      }
      case 'getRecentPrioritizationFees':
        return [];
      case 'getMinimumBalanceForRentExemption':
        return 2_000_000;
      case 'simulateTransaction':
        return { context: { slot: slot() }, value: { err: state.simulated, unitsConsumed: 150_000 } };
      case 'getEpochInfo':
        return { absoluteSlot: slot(), blockHeight: slot() };
      case 'sendTransaction':
        sent.push(params[0] as string);
        return hashOf(params[0] as string);
      default:
        return undefined;
    }
  };
  const clock = new TestClock(T0 + 100);
  const options = { spec: localSolana, urls: [node.url], needed: 1, clock, log: silentLog(), timeoutMs: 5000 };
  return {
    ...{ node, spec: localSolana, clock, sender: openSender(options), multisig, vault, refund, members, nonceAccount },
    ...{ plan, nonce, state, cold: { address: vault, keyFile: keyFileOf(pairs[0]) } },
    keyFiles: pairs.map(keyFileOf),
    /** The newest broadcast transaction lands: the multisig has its transaction, the nonce account its next value. */
    land(amount: bigint, err?: unknown): void {
      const moved = payment(node, { from: side(vault), to: side(refund), mint: usdt, amount });
      const signature = hashOf(sent.at(-1)!);
      nonce.value = fakeKey('nonce 2');
      if (err === undefined) plan.lastIndex++;
      node.mine([{ ...moved, signature, ...(err === undefined ? {} : { err }) }]);
    },
    /** Base units. */
    held: (owner: string): bigint => node.ledger.now(ata(owner))?.amount ?? 0n,
    stop: () => node.close(),
  };
}

function nonceData({ authority, value }: { readonly authority: string; readonly value: string }): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(1, 0);
  head.writeUInt32LE(1, 4);
  return Buffer.concat([head, base58.decode(authority), base58.decode(value), Buffer.alloc(8)]);
}

const inBase64 = ({ data, ...rest }: { readonly data: Buffer; readonly lamports: number; readonly owner: string }) => ({
  ...rest,
  ...{ data: [data.toString('base64'), 'base64'], executable: false, rentEpoch: 0, space: data.length },
});

/** Of a transaction with fewer than 128 signatures. */
const hashOf = (bytes: string): string => base58.encode(Buffer.from(bytes, 'base64').subarray(1, 65));
