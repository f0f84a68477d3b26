// Signs batches of payouts and the allowance that they need. A batch is signed when each of its items is exactly one order, in the same
// place, and each order passes every check that it would pass alone, counted together with the others. It becomes one attempt of each of
// their intents, in one record of the journal. The allowance is built here: its spender is the contract of batches, and its amount that of
// the settings. Every method is synchronous.

import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { abiWord } from '@/lib/networks/families/evm/transfer-data';
import { signedCall } from '@/lib/networks/families/evm/sending/evm-call';
import { readEvmBatch } from '@/lib/networks/families/evm/sending/read-draft';
import type { NetworkSpec } from '@/lib/networks/networks';
import { signing } from '@/lib/networks/sending/draft';
import type { EvmDraft, Validity } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { sha256 } from '@/lib/platform/crypto';
import { NO_APPROVALS } from '@/lib/signer/approvals/approvals';
import { checkApproved } from '@/lib/signer/approvals/rules';
import { MAX_ATTEMPTS } from '@/lib/signer/attempt-rules';
import { checkPayment, checkReplaces, isOutbid, refusing } from '@/lib/signer/draft-rules';
import { isSameOrder, openedBy, type Intent } from '@/lib/signer/intent';
import type { Allowance } from '@/lib/signer/journal/record';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { checkLimits, checkNonce } from '@/lib/signer/limits';
import type { AllowParams, BatchParams, LastAllowance, Signed } from '@/lib/signer/orders';
import { costOf, countPaymentFees, mostOf } from '@/lib/signer/payment-fees';
import { allow, type Allowed, type Policy } from '@/lib/signer/policy';
import type { SignerState } from '@/lib/signer/protocol';
import { Refusal } from '@/lib/signer/refusal';
import { nameOf } from '@/lib/signer/sweeps/policy';
import type { RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';

type BatchSignerParts = { readonly accounts: RefundAccounts; readonly policy: Policy };

/** The first four bytes of the hash of approve(address,uint256), hex. */
const APPROVE_SELECTOR = '095ea7b3';
/** More than a busy installation with a sensible allowance needs, and few enough to bound what a taken-over worker can waste. */
const MAX_ALLOWANCES_PER_DAY = 40n;

export class BatchSigner {
  readonly #accounts: RefundAccounts;
  readonly #policy: Policy;
  readonly #journal: SignerJournal;

  /** `journal`: that of the signer of single payments. */
  constructor({ accounts, policy }: BatchSignerParts, journal: SignerJournal) {
    this.#accounts = accounts;
    this.#policy = policy;
    this.#journal = journal;
  }

  /** The signed batch, new or as before. Throws a Refusal; then nothing of the batch was signed. */
  sign({ orders, from, unsigned }: BatchParams): Signed {
    this.#journal.needUnfrozen();
    const { index } = this.#journal;
    const allowed = orders.map((order) => allow(order, this.#policy, this.#accounts));
    const [first] = allowed as [Allowed];
    this.#checkTogether(allowed);
    const intents = allowed.map((one) => intentFor(index.intent(one.order.intentId), one));
    // A payout that two operators have to approve goes alone, with their signatures.
    allowed.forEach((one, at) => intents[at] ?? checkApproved(index, this.#policy, one, NO_APPROVALS));
    const drafts = orders.map(({ intentId }, item): EvmDraft => ({ family: 'evm', intentId, from, unsigned, item }));
    const account = this.#accounts.of(first.order.environment, 'evm');
    const validity = this.#checkItems(drafts, allowed, account.address);

    const transaction = signing(drafts[0] as EvmDraft);
    const digest = sha256(transaction.payload).toString('hex');
    const same = intents.map((intent, item) =>
      intent?.attempts.find((one) => one.digest === digest && isItem(one.draft, item)),
    );
    const [known] = same;
    if (known && same.every((one) => one !== undefined)) return known.signed;

    // What was signed may still land, so it is replaced also after batches were turned off. Its nonce must not stay open.
    if (intents.every((intent) => intent === null || intent.attempts.length === 0)) {
      if (this.#allowanceOf(first.spec, first.order.currency) === undefined) throw noBatches();
      checkNonce(index, { spec: first.spec, from: account.address }, validity);
      this.#checkLimits(allowed);
    } else checkReplacement(intents, drafts);
    const [former] = intents.map((intent) => intent?.attempts.at(-1)?.draft);
    const { spec } = first;
    const fees = countPaymentFees(index, this.#policy, {
      ...{ spec, cost: costOf(spec, { unsigned }, orders.length), now: this.#journal.nextTime() },
      ...(former?.family === 'evm' ? { replaced: costOf(spec, former, orders.length) } : {}),
    });
    const signed: Signed = { ...transaction.finish(account.sign(transaction.payload)), validity };
    const opened = allowed.flatMap((one, at) => (intents[at] ? [] : [openedBy(one, null)]));
    const intentIds = orders.map(({ intentId }) => intentId);
    crashpoint('before-journal', first.order.network);
    this.#journal.write([...opened, fees(signed.hash), { kind: 'batch', intentIds, digest, from, unsigned, signed }]);
    crashpoint('after-journal', first.order.network);
    return signed;
  }

  /** The transaction that sets the allowance of the contract of batches. The same parameters give the same bytes. Throws a Refusal. */
  allow(params: AllowParams): Signed {
    this.#journal.needUnfrozen();
    const { index } = this.#journal;
    const spec = this.#chainOf(params);
    const contract = spec?.tokens[params.currency]?.contract;
    if (spec?.family !== 'evm' || contract === undefined || spec.chainId === null) throw noBatches();
    const { chainId } = spec;
    const chain = nameOf(spec);
    const last = this.#last(spec);
    const allowance = this.#allowanceOf(spec, params.currency);
    const isReplacement = last?.params.nonce === params.nonce;
    // Once batches are turned off, the last change can only be replaced, by one that allows nothing. Its nonce must not stay open.
    if (allowance === undefined && !(isReplacement && params.reset)) throw noBatches();
    const account = this.#accounts.of(params.environment, 'evm');
    const terms = termsOf(params);
    if (terms.gasLimit * terms.maxFeePerGas > spec.feeCap || terms.maxPriorityFeePerGas > terms.maxFeePerGas)
      throw new Refusal('limit', 'the transaction may cost more in fees than is allowed');
    const data = APPROVE_SELECTOR + abiWord(PAYOUT_BATCH.slice(2)) + abiWord(params.reset ? 0n : (allowance ?? 0n));
    const transaction = signedCall({ chainId, ...terms, to: contract.toLowerCase(), data });
    const digest = sha256(transaction.payload).toString('hex');
    if (last?.digest === digest) return last.signed;
    if (last && isReplacement) checkReplacesAllowance(last.params, params, allowance !== undefined);
    else if ((index.nextNonce(spec.network, spec.chain) ?? params.nonce) !== params.nonce)
      throw new Refusal('nonce', 'the transaction does not use the next nonce');
    const now = this.#journal.nextTime();
    if (index.allowancesBefore(now, chain) >= MAX_ALLOWANCES_PER_DAY)
      throw new Refusal('limit', 'the transactions per day that change an allowance are reached');
    const replaced = last && isReplacement ? mostOf(spec, termsOf(last.params)) : 0n;
    const fees = countPaymentFees(index, this.#policy, { spec, cost: mostOf(spec, terms), replaced, now });
    const validity: Validity = { kind: 'nonce', nonce: params.nonce };
    const signed: Signed = { ...transaction.finish(account.sign(transaction.payload)), validity };
    crashpoint('before-journal', spec.network);
    this.#journal.write([fees(signed.hash), { kind: 'allowed', chain, from: account.address, params, digest, signed }]);
    crashpoint('after-journal', spec.network);
    return signed;
  }

  /** The last transaction of a network that changed an allowance; null for none. */
  lastAllowance(of: Pick<AllowParams, 'environment' | 'network'>): LastAllowance | null {
    const spec = this.#chainOf(of);
    const last = spec ? this.#last(spec) : null;
    if (!last) return null;
    const { params, signed, at } = last;
    return { params, hash: signed.hash, bytes: this.#journal.frozen() === null ? signed.bytes : null, at };
  }

  /** Nothing where no batches are or were signed: workers of former versions know no such field. */
  state(): Pick<SignerState, 'batches' | 'allowanceNonces'> {
    const { batches: allowed, chains } = this.#policy;
    const used = chains.flatMap((spec) => {
      const last = this.#last(spec);
      return last ? [[nameOf(spec), last.nonces] as const] : [];
    });
    if (allowed.length === 0 && used.length === 0) return {};
    const batches: Record<string, Record<string, string>> = {};
    for (const { spec, currency, allowance } of allowed)
      batches[nameOf(spec)] = { ...batches[nameOf(spec)], [currency]: String(allowance) };
    return { batches, ...(used.length === 0 ? {} : { allowanceNonces: Object.fromEntries(used) }) };
  }

  /** The last change of the allowance by the present wallet of a network. */
  #last(spec: NetworkSpec): Allowance | null {
    if (spec.family !== 'evm') return null;
    return this.#journal.index.lastAllowance(nameOf(spec), this.#accounts.of(spec.environment, 'evm').address);
  }

  #chainOf({ environment, network }: Pick<AllowParams, 'environment' | 'network'>): NetworkSpec | undefined {
    return this.#policy.chains.find((one) => one.environment === environment && one.network === network);
  }

  /** Base units; undefined where the settings allow no batches of the token. */
  #allowanceOf(spec: NetworkSpec, currency: string): bigint | undefined {
    return this.#policy.batches.find((one) => nameOf(one.spec) === nameOf(spec) && one.currency === currency)
      ?.allowance;
  }

  /** Payouts of one token of one network, each once. */
  #checkTogether(allowed: readonly Allowed[]): void {
    const [{ order, spec }] = allowed as [Allowed];
    const isOne = allowed.every(
      (one) => one.spec === spec && one.order.currency === order.currency && one.order.evidence.kind === 'payout',
    );
    if (!isOne) throw new Refusal('not_allowed', 'a batch contains payouts of one token of one network only');
    if (new Set(allowed.map((one) => one.order.intentId)).size !== allowed.length)
      throw new Refusal('draft', 'the batch contains an intent twice');
  }

  /** Each order against its item, and that the bytes pay no other address. */
  #checkItems(drafts: readonly EvmDraft[], allowed: readonly Allowed[], wallet: string): Validity {
    const validities = drafts.map((draft, at) => checkPayment(draft, allowed[at] as Allowed, wallet).validity);
    const { items } = refusing(() => readEvmBatch(drafts[0] as EvmDraft));
    if (items.length !== drafts.length) throw new Refusal('draft', 'the batch pays more than its orders');
    return validities[0] as Validity;
  }

  /** As for payments that are signed one after the other. */
  #checkLimits(allowed: readonly Allowed[]): void {
    const now = this.#journal.nextTime();
    const ofNames = new Map<string, bigint>();
    let sum = 0n;
    for (const one of allowed) {
      const name = one.order.evidence.session;
      const ofName = ofNames.get(name) ?? 0n;
      const besides = { cents: sum, ofName };
      checkLimits(this.#journal.index, this.#policy, one, { now, isRepeated: false, isApproved: false, besides });
      sum += one.cents;
      // A crash may have left it opened and not signed. The journal counts it then.
      if (!this.#journal.index.intent(one.order.intentId)) ofNames.set(name, ofName + one.cents);
    }
  }
}

/** The intent of an order, if the order may still be signed for it. */
function intentFor(intent: Intent | null, allowed: Allowed): Intent | null {
  if (!intent) return null;
  if (!isSameOrder(intent, allowed)) throw new Refusal('conflict', 'the intent has another order');
  if (intent.isReleased) throw new Refusal('released', 'the intent is closed; a new payout needs a new intent');
  return intent;
}

const isItem = (draft: { readonly family: string; readonly item?: number | undefined }, item: number): boolean =>
  draft.item === item;

/** Every intent was last signed in the same place of the same batch, and both fees rise enough. */
function checkReplacement(intents: readonly (Intent | null)[], drafts: readonly EvmDraft[]): void {
  const digests = new Set<string>();
  intents.forEach((intent, at) => {
    const former = intent?.attempts.at(-1);
    if (!intent || former?.draft.family !== 'evm')
      throw new Refusal('conflict', 'some intents of the batch have an attempt, and others have none');
    if (intent.attempts.length >= MAX_ATTEMPTS)
      throw new Refusal('conflict', 'the intent has reached its limit of attempts');
    checkReplaces(former.draft, drafts[at] as EvmDraft);
    digests.add(former.digest);
  });
  if (digests.size !== 1) throw new Refusal('conflict', 'the intents of the batch were not signed together');
}

/** A replacement of an allowance sets the same allowance, or nothing once batches are turned off. */
function checkReplacesAllowance(before: AllowParams, next: AllowParams, isOn: boolean): void {
  const isSame = before.currency === next.currency && (before.reset === next.reset || !isOn);
  if (!isSame) throw new Refusal('conflict', 'a replacement must set the same allowance');
  if (!isOutbid(termsOf(before), termsOf(next)))
    throw new Refusal('conflict', 'a replacement must raise both fees by at least ten percent');
}

const termsOf = ({ nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit }: AllowParams) => ({
  nonce,
  maxFeePerGas: BigInt(maxFeePerGas),
  maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  gasLimit: BigInt(gasLimit),
});

const noBatches = (): Refusal =>
  new Refusal('not_allowed', 'the settings of the signer allow no batches of this token: see SIGNER_PAYOUT_BATCHES');
