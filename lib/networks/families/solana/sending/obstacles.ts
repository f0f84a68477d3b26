// Reasons why a token cannot move on Solana, read from the accounts themselves: whether the recipient is a wallet or a token
// account of the right mint, what the issuer has frozen, and the refund wallet's balance.

import { ChainError } from '@/lib/networks/chain';
import { tooFewTokens } from '@/lib/networks/sending/obstacles';
import { SendHold, SendRefused, type PaymentOrder, type Unmined } from '@/lib/networks/sending/send';
import {
  associatedAccount,
  isOnCurve,
  keyBytes,
  keyText,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { sendAccounts, type SendAccount } from './shapes';

/** `direct`: the recipient is a token account. `creates`: the payment must create the token account, which costs rent. */
export type Route = { readonly direct: boolean; readonly creates: boolean; readonly lamports: number };

type TokenAccount = { readonly mint: string; readonly owner: string; readonly amount: bigint; readonly state: number };
/** A classic token account. */
export const TOKEN_ACCOUNT_SIZE = 165;
const [OWNER_AT, AMOUNT_AT, AMOUNT_END, STATE_AT] = [32, 64, 72, 108];
const INITIALISED = 1;
/** The state of an account that the issuer of the token has frozen. */
export const FROZEN = 2;

/** Throws SendRefused or SendHold for the first obstacle. */
export async function findRoute(
  node: SolanaNode,
  order: PaymentOrder,
  { from, unmined }: { readonly from: string; readonly unmined: Unmined },
): Promise<Route> {
  const { to, contract: mint, currency } = order;
  const [source, associated] = [associatedAccount(from, mint), associatedAccount(to, mint)];
  const wanted = [from, source, to, associated];
  const params = [wanted, { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  if (value.length !== wanted.length) {
    throw new ChainError('contradiction', `${node.name} answered for ${value.length} of ${wanted.length} accounts`);
  }
  const [wallet = null, sourceData = null, target = null, associatedData = null] = value;
  const held = readAccount(sourceData);
  if (held?.state === FROZEN) {
    throw new SendHold('wallet_blocked', `the issuer of ${currency} has frozen the refund wallet's account`);
  }
  if (held?.owner !== from || held.mint !== mint || held.amount < order.amount + unmined.tokens) {
    throw tooFewTokens(currency);
  }
  const lamports = wallet?.lamports ?? 0;
  if (target?.owner === TOKEN_PROGRAM) return { ...directRoute(order, readAccount(target)), lamports };
  if (target && target.owner !== SYSTEM_PROGRAM) throw unsuitable('the recipient is a program or belongs to one');
  return { ...walletRoute(order, associatedData), lamports };
}

/** Pays a token account directly, only if it holds this token and is not frozen. */
function directRoute({ contract: mint, currency }: PaymentOrder, account: TokenAccount | null) {
  if (!account) throw unsuitable('the recipient is a token and not an address that can be paid');
  if (account.mint !== mint) throw new SendRefused('wrong_token', 'the recipient is an account for another token');
  if (account.state === FROZEN) throw frozen(currency);
  return { direct: true, creates: false };
}

function walletRoute({ to, contract: mint, currency }: PaymentOrder, data: SendAccount | null) {
  const isUsed = data?.owner === TOKEN_PROGRAM;
  const account = isUsed ? readAccount(data) : null;
  if (account?.state === FROZEN) throw frozen(currency);
  if (account && (account.owner !== to || account.mint !== mint)) {
    throw unsuitable("the recipient's token account belongs to somebody else");
  }
  if (isUsed && !account) throw unsuitable("the recipient's token account cannot be used");
  // Funds sent to an address without a key may be unspendable, unless the address already has a token account.
  if (!account && !isOnCurve(keyBytes(to) as Uint8Array)) {
    throw unsuitable('the recipient has no key and never held this token');
  }
  return { direct: false, creates: account === null };
}

/** Whether the issuer of a token has frozen the token account of a wallet. */
export async function isAccountFrozen(node: SolanaNode, mint: string, wallet: string): Promise<boolean> {
  const params = [[associatedAccount(wallet, mint)], { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  if (value.length !== 1)
    throw new ChainError('contradiction', `${node.name} answered for ${value.length} of 1 accounts`);
  return readAccount(value[0] ?? null)?.state === FROZEN;
}

/** Null for anything but an initialised token account. */
export function readAccount(found: SendAccount | null): TokenAccount | null {
  if (found?.owner !== TOKEN_PROGRAM || found.data.length !== TOKEN_ACCOUNT_SIZE) return null;
  const { data } = found;
  const state = data[STATE_AT];
  if (state !== INITIALISED && state !== FROZEN) return null;
  return {
    mint: keyText(data.subarray(0, OWNER_AT)),
    owner: keyText(data.subarray(OWNER_AT, AMOUNT_AT)),
    amount: data.subarray(AMOUNT_AT, AMOUNT_END).readBigUInt64LE(),
    state,
  };
}

const unsuitable = (message: string): SendRefused => new SendRefused('bad_recipient', message);
const frozen = (currency: string): SendRefused =>
  new SendRefused('recipient_blocked', `the issuer of ${currency} has frozen the recipient's account`);
