// A Solana draft: a message with one signer, the refund wallet, whose instructions are, in this order: compute limit, compute
// price, creation of the destination's token account (idempotent), memo, transferChecked. All but the last may be left out;
// nothing else may be there.

import { base58 } from '@scure/base';
import { associatedAccount, TOKEN_PROGRAM } from '@/lib/chains/solana/address';
import { sha256 } from '@/lib/crypto';
import type { Draft } from './orders';
import type { Expected, Payload } from './payload-shape';
import { Refusal } from './refusal';
import { readMessage, type Instruction, type SolanaMessage } from './solana-message';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const SYSTEM = '11111111111111111111111111111111';

/** What a signature costs (chains.md 3.3). */
const LAMPORTS_PER_SIGNATURE = 5000n;
/** The highest rent that a token account has had; creating one costs the payer that. */
const MOST_RENT_LAMPORTS = 2_039_280n;
/** Units per transaction, by the protocol. */
const MOST_COMPUTE_UNITS = 1_400_000;
const MICROLAMPORTS = 1_000_000n;
const MEMO_TEXT = /^[\x20-\x7e]{1,128}$/;

/** Throws a Refusal when the draft is not the order's transfer, within the fee cap. */
export function solanaPayload(draft: Extract<Draft, { family: 'solana' }>, expected: Expected): Payload {
  const bytes = Buffer.from(draft.messageBase64, 'base64');
  const message = bytes.toString('base64') === draft.messageBase64 ? readMessage(bytes) : null;
  if (!message) throw new Refusal('draft', 'the draft is not a message of the allowed form');
  const fee = checkMessage(message, expected);
  if (fee > expected.feeCap) throw new Refusal('draft', 'the draft may cost more than the fee cap');

  const { account } = expected;
  const { lastValidBlockHeight } = draft;
  return {
    // The height is no part of what is signed: the same message with another height is the same payload.
    digest: sha256(bytes).toString('hex'),
    validity: { kind: 'height', lastValidBlockHeight },
    evm: null,
    // Heights are the chain's; the signer sees no chain. A message of a block hash that lapsed is taken by no node.
    checkLife: () => {},
    sign: () => {
      const signature = account.sign(bytes);
      const transaction = Buffer.concat([Uint8Array.of(1), signature, bytes]);
      return { hash: base58.encode(signature), bytes: transaction.toString('base64') };
    },
  };
}

/** The most that the message may cost, in lamports. Throws a Refusal for any part that is not the order's. */
function checkMessage({ signers, writable, instructions }: SolanaMessage, expected: Expected): bigint {
  const { order, token, account } = expected;
  const mint = order.contract;
  const source = associatedAccount(account.address, mint);
  const destination = associatedAccount(order.to, mint);
  if (signers.length !== 1 || signers[0] !== account.address) throw refused('is not signed by the refund wallet alone');
  const paid = [account.address, source, destination];
  if (writable.size !== paid.length || !paid.every((key) => writable.has(key))) {
    throw refused('may write to other accounts than a transfer needs');
  }

  const steps = instructions.slice();
  const next = (program: string, first?: number): Instruction | null => {
    const step = steps[0];
    const isNext = step?.program === program && (first === undefined || step.data[0] === first);
    return isNext ? (steps.shift() as Instruction) : null;
  };
  const priority = priorityFee(next(COMPUTE_BUDGET, 2), next(COMPUTE_BUDGET, 3));
  const creation = next(ASSOCIATED_TOKEN);
  if (creation) {
    const accounts = [account.address, destination, order.to, mint, SYSTEM, TOKEN_PROGRAM];
    demand(creation, accounts, Buffer.of(1), 'creates another account than the destination');
  }
  checkMemo(next(MEMO), account.address);
  const transfer = next(TOKEN_PROGRAM);
  if (!transfer || steps.length > 0) throw refused('has other instructions than the allowed ones in their order');
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(order.amount)), 1);
  data[9] = token.decimals;
  if (BigInt(order.amount) >= 1n << 64n) throw refused('cannot carry this amount');
  demand(transfer, [source, mint, destination, account.address], data, "is not the order's transfer");
  return LAMPORTS_PER_SIGNATURE + priority + (creation ? MOST_RENT_LAMPORTS : 0n);
}

/** In lamports, rounded up. */
function priorityFee(limit: Instruction | null, price: Instruction | null): bigint {
  for (const [step, size] of [[limit, 5] as const, [price, 9] as const]) {
    if (step && (step.accounts.length > 0 || step.data.length !== size))
      throw refused('has a compute budget of no form');
  }
  const units = limit?.data.readUInt32LE(1) ?? 0;
  if (units > MOST_COMPUTE_UNITS || (price && !limit)) throw refused('has a compute price without a sound limit');
  return (BigInt(units) * (price?.data.readBigUInt64LE(1) ?? 0n) + MICROLAMPORTS - 1n) / MICROLAMPORTS;
}

function checkMemo(memo: Instruction | null, wallet: string): void {
  if (!memo) return;
  const accounts = memo.accounts.length === 0 ? [] : [wallet];
  if (!MEMO_TEXT.test(memo.data.toString('latin1'))) throw refused('has a memo that is not short plain text');
  demand(memo, accounts, memo.data, 'has a memo for others');
}

function demand(step: Instruction, accounts: readonly string[], data: Buffer, otherwise: string): void {
  const isSame = step.accounts.length === accounts.length && accounts.every((one, at) => one === step.accounts[at]);
  if (!isSame || !step.data.equals(data)) throw refused(otherwise);
}

const refused = (what: string): Refusal => new Refusal('draft', `the draft ${what}`);
