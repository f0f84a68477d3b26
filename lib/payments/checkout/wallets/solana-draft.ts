// Builds the Solana transfer for a browser wallet. The page may connect to no host but ours, so the server requests the blockhash and
// the account state. Rate limits per client and in total reserve the operator's endpoint quota for the watcher.

import { openRpcClients } from '@/lib/networks/endpoints/access';
import { solanaReference } from '@/lib/networks/payment-uri';
import { endpointsOf } from '@/lib/networks/registry';
import { openSendEndpoints, type SendEndpoints } from '@/lib/networks/sending/endpoints';
import { associatedAccount, isOnCurve, keyBytes, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import { openNode, proveNode, readHead, type SolanaNode } from '@/lib/networks/families/solana/node';
import { lamports, latestBlockhash, sendAccounts } from '@/lib/networks/families/solana/sending/shapes';
import { ChainError } from '@/lib/networks/chain';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { readCheckout } from '@/lib/payments/checkout/view';
import type { SolanaDraftAnswer } from '@/lib/payments/checkout/browser/solana';
import { solanaTransfer, type SolanaFacts, type SolanaPayment } from './solana-transfer';

type SolanaDraftRequest = {
  readonly sessionId: string;
  /** The wallet's account. */
  readonly account: string;
  readonly currency: string;
  /** The client, for the rate limit; null where none applies. */
  readonly from: string | null;
};

/** Throws ServiceError: SESSION_NOT_FOUND, INVALID_PARAMETER, RATE_LIMITED, SERVICE_UNAVAILABLE. */
export type DraftSolanaPayment = (request: SolanaDraftRequest) => Promise<SolanaDraftAnswer>;

const NETWORK = 'solana';
/** Enough for a person who presses the button; programs use API keys. */
const PER_CALLER = { rate: 1, burst: 10 };
const IN_ALL = { rate: 10, burst: 30 };
const TIMEOUT_MS = 5000;
const TOKEN_ACCOUNT_SIZE = 165;
const AMOUNT_AT = 64;

/** A draft builder with its own limits; one per process. It opens endpoints on first use. */
export function openSolanaDrafts(context: Context): DraftSolanaPayment {
  const ofCaller = openRateLimit(PER_CALLER);
  const ofAll = openRateLimit(IN_ALL);
  const opened = new Map<Environment, SendEndpoints<SolanaNode> | null>();
  const endpointsFor = (environment: Environment) => {
    const known = opened.get(environment);
    if (known !== undefined) return known;
    const made = openEndpointsOf(context, environment);
    opened.set(environment, made);
    return made;
  };

  return async ({ sessionId, account, currency, from }) => {
    const key = keyBytes(account);
    if (!key || !isOnCurve(key)) throw new ServiceError('INVALID_PARAMETER', { param: 'account' });
    const now = context.clock.now().getTime();
    checkWait(from === null ? 0 : ofCaller(from, now));
    const view = await readCheckout(context, sessionId);
    if (!view) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
    const method = view.methods.find((one) => one.network === NETWORK && one.currency === currency);
    const endpoints = endpointsFor(view.facts.environment);
    const spec = endpointsOf(context.config, context, { environment: view.facts.environment, network: NETWORK })?.spec;
    const decimals = spec?.tokens[currency]?.decimals;
    // The session no longer accepts payments there, so the page reloads its view.
    if (!method || !endpoints || decimals === undefined) return { fault: { why: 'changed' } };
    // Only requests that reach the network use the shared limit, not those without a session.
    checkWait(from === null ? 0 : ofAll('all', now));
    const payment: SolanaPayment = {
      account,
      recipient: method.address,
      mint: method.token,
      decimals,
      units: centsToBaseUnits(BigInt(method.amount.replace('.', '')), decimals),
      reference: solanaReference(sessionId),
    };
    try {
      return solanaTransfer(payment, await endpoints.draft((node) => readFacts(node, payment)));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      context.log.warn(
        { err: error, session: sessionId },
        'a Solana transfer for a browser wallet could not be written',
      );
      throw new ServiceError('SERVICE_UNAVAILABLE');
    }
  };
}

function checkWait(seconds: number): void {
  if (seconds > 0) throw new ServiceError('RATE_LIMITED', { retryAfter: seconds });
}

function openEndpointsOf(context: Context, environment: Environment): SendEndpoints<SolanaNode> | null {
  const found = endpointsOf(context.config, context, { environment, network: NETWORK });
  if (!found) return null;
  const { spec, urls, budgets } = found;
  const { clock, log } = context;
  return openSendEndpoints({
    ...{ spec, urls, clock, log },
    // One endpoint is enough: the wallet's owner checks the draft, and a wrong one pays nothing.
    needed: 1,
    clients: openRpcClients({ urls, timeoutMs: TIMEOUT_MS, budgets }).map(({ name, rpc }) => openNode(name, rpc)),
    prove: (node) => proveNode(node, spec),
    readHead,
  });
}

async function readFacts(node: SolanaNode, { account, recipient, mint }: SolanaPayment): Promise<SolanaFacts> {
  const wanted = [account, associatedAccount(account, mint), associatedAccount(recipient, mint)];
  const commitment = 'confirmed';
  const [accounts, latest, tokenAccount, wallet] = await node.rpc.batch([
    { method: 'getMultipleAccounts', params: [wanted, { encoding: 'base64', commitment }], shape: sendAccounts },
    // Wallets simulate against the finalized state, which does not know newer blockhashes.
    { method: 'getLatestBlockhash', params: [{ commitment: 'finalized' }], shape: latestBlockhash },
    rentOf(TOKEN_ACCOUNT_SIZE),
    rentOf(0),
  ]);
  const [payer = null, source = null, destination = null] = accounts.value;
  const isToken = source?.owner === TOKEN_PROGRAM && source.data.length === TOKEN_ACCOUNT_SIZE;
  return {
    tokens: isToken ? source.data.readBigUInt64LE(AMOUNT_AT) : 0n,
    lamports: BigInt(payer?.lamports ?? 0),
    recipientHasAccount: destination?.owner === TOKEN_PROGRAM,
    rent: { tokenAccount: BigInt(tokenAccount), wallet: BigInt(wallet) },
    blockhash: latest.value.blockhash,
  };
}

const rentOf = (size: number) => ({
  method: 'getMinimumBalanceForRentExemption',
  params: [size],
  shape: lamports,
});
