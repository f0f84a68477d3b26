// The wallets in this browser, one button each: connect and pay without leaving the page. It shows nothing until it
// finds one, and it only reports what the wallet said. The server decides whether money arrived.

import type { WalletTexts } from '@/components/checkout/elements';
import { discoverWallets, type BrowserWallet } from '@/lib/payments/checkout/browser/discover';
import type { BrowserPayment, PayFault, PayStep } from '@/lib/payments/checkout/browser/payment';
import { readTab, writeTab } from '@/lib/payments/checkout/browser/tab-storage';
import type { PublicStatus } from '@/lib/payments/checkout/view';
import { OwnContent } from './own-content';
import { redraw } from './redraw';

/** `of` is the payment that the report is about; the page may show another one by now. */
type State = { readonly of: string; readonly wallet: string } & (
  | { readonly at: 'busy'; readonly step: PayStep }
  | { readonly at: 'failed'; readonly fault: PayFault }
  | { readonly at: 'sent' }
);
type Kept = { readonly at: 'asked' | 'sent'; readonly wallet: string };

const TIMEOUT_MS = 10_000;

/** `data-payment` is the requested payment, `data-words` the texts. */
export class BrowserWallets extends OwnContent {
  /** Both are set when connected. */
  #payment!: BrowserPayment;
  #words!: WalletTexts;
  #wallets: readonly BrowserWallet[] = [];
  #last: State | null = null;
  #end: (() => void) | undefined;

  connectedCallback(): void {
    this.#payment = this.#readPayment();
    this.#words = this.#readWords();
    this.#wallets = [];
    this.#end = discoverWallets((one) => {
      this.#wallets = [...this.#wallets, one];
      this.#show();
    });
    this.#show();
  }

  disconnectedCallback(): void {
    this.#end?.();
  }

  override redrawn(drawn: HTMLElement): void {
    this.takeAttributes(drawn);
    this.#payment = this.#readPayment();
    this.#words = this.#readWords();
    this.#show();
  }

  #readPayment(): BrowserPayment {
    return JSON.parse(this.dataset.payment as string) as BrowserPayment;
  }

  #readWords(): WalletTexts {
    return JSON.parse(this.dataset.words as string) as WalletTexts;
  }

  #take(state: State): void {
    this.#last = state;
    this.#show();
  }

  async #pay(wallet: BrowserWallet): Promise<void> {
    const payment = this.#payment;
    const key = keyOf(payment);
    const about = { of: key, wallet: wallet.name };
    const before = readTab(key);
    const onStep = (step: PayStep) => {
      // From here on the wallet may send, even if this page closes before the result.
      if (step === 'confirm') keep(key, { at: 'asked', wallet: wallet.name });
      this.#take({ ...about, at: 'busy', step });
    };
    onStep('preparing');
    try {
      const [{ payWith }] = await Promise.all([
        import('@/lib/payments/checkout/browser/pay-with'),
        checkStillRequested(payment),
      ]);
      const payBy = await payWith(wallet);
      await payBy(payment, onStep);
      keep(key, { at: 'sent', wallet: wallet.name });
      this.#take({ ...about, at: 'sent' });
    } catch (error) {
      const fault = faultOf(error);
      // The outcome of an earlier try is still unknown.
      if (fault.why !== 'unclear') writeTab(key, before);
      this.#take({ ...about, at: 'failed', fault });
      if (fault.why === 'changed') redraw().catch(() => undefined);
    }
  }

  #state(): State | null {
    const key = keyOf(this.#payment);
    if (this.#last?.of === key) return this.#last;
    const stored = readTab(key);
    return stored === null ? null : stateOf(key, stored);
  }

  #show(): void {
    const [state, words, { family }] = [this.#state(), this.#words, this.#payment];
    const mine = this.#wallets.filter((one) => one.family === family);
    const others = words.elsewhere.flatMap((to) => {
      const wallet = to.family === family ? undefined : this.#wallets.find((one) => one.family === to.family);
      return wallet ? [{ ...to, wallet }] : [];
    });
    const isEmpty = mine.length === 0 && others.length === 0 && state === null;
    this.classList.toggle('wallets', !isEmpty);
    if (isEmpty) return this.replaceChildren();
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', words.here);
    if (!this.querySelector('.wallet-said')) this.replaceChildren(...frame(words));
    const [ways, said] = [this.querySelector('.wallet-ways'), this.querySelector<HTMLElement>('.wallet-said')];
    const isOut = state?.at === 'sent';
    const offered = isOut ? [] : [...mine.map(({ id }) => id), ...others.map(({ href }) => href)];
    // Buttons with the same meaning stay the same elements, so that keyboard focus is kept.
    const meant = JSON.stringify([offered, words.pay]);
    if (this.#meant !== meant || !ways?.hasChildNodes()) {
      this.#meant = meant;
      ways?.replaceChildren(
        ...(isOut ? [] : mine.map((wallet) => this.#button(wallet))),
        ...(isOut ? [] : others.map(({ text, href, wallet }) => elsewhere(filled(text, wallet.name), href))),
      );
    }
    for (const button of this.querySelectorAll('button')) button.disabled = state?.at === 'busy';
    if (!said) return;
    said.className = `wallet-said wallet-${state?.at}`;
    if (state) said.dataset.wallet = state.at;
    const text = state ? sentence(state, words) : '';
    if (said.textContent !== text) said.textContent = text;
  }

  #meant = '';

  #button(wallet: BrowserWallet): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button wallet';
    button.addEventListener('click', () => void this.#pay(wallet));
    if (wallet.icon !== null) {
      const icon = new Image(24, 24);
      icon.src = wallet.icon;
      icon.alt = '';
      button.append(icon);
    }
    const name = document.createElement('span');
    name.textContent = filled(this.#words.pay, wallet.name);
    button.append(name);
    return button;
  }
}

function frame({ here }: WalletTexts): HTMLElement[] {
  const [label, ways, said] = ['p', 'div', 'p'].map((name) => document.createElement(name)) as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  label.className = 'label';
  label.textContent = here;
  ways.className = 'wallet-ways';
  said.className = 'wallet-said';
  said.setAttribute('role', 'status');
  return [label, ways, said];
}

function elsewhere(text: string, href: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.className = 'wallet-elsewhere';
  link.setAttribute('href', href);
  link.textContent = text;
  return link;
}

/** Throws unless the server still requests exactly this, so that a customer does not pay twice from a stale page. */
async function checkStillRequested({ sessionId, network, currency, recipient, amount }: BrowserPayment): Promise<void> {
  const { methods } = await readStatus(sessionId);
  const method = methods.find((one) => one.network === network && one.currency === currency);
  if (method?.address !== recipient || method.amount !== amount) throw new NoLongerRequested('changed');
}

async function readStatus(sessionId: string): Promise<PublicStatus> {
  try {
    const answer = await fetch(`/pay/${sessionId}/status`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) return (await answer.json()) as PublicStatus;
  } catch {
    // Reported below, like an invalid response.
  }
  throw new NoLongerRequested('unavailable');
}

/** Has the shape of PaymentFailed, which is loaded only with the wallet code. */
class NoLongerRequested extends Error {
  readonly fault: PayFault;
  constructor(why: 'changed' | 'unavailable') {
    super(why);
    this.fault = { why };
  }
}

/** An unexpected failure may have happened after the wallet had sent. */
function faultOf(error: unknown): PayFault {
  const fault = (error as { fault?: PayFault } | null)?.fault;
  return fault ?? { why: 'unclear' };
}

function sentence(state: State, words: WalletTexts): string {
  switch (state.at) {
    case 'busy':
      return filled(words[state.step], state.wallet);
    case 'failed':
      return filled(words[state.fault.why], state.wallet, 'balance' in state.fault ? state.fault.balance : '');
    case 'sent':
      return filled(words.sent, state.wallet);
  }
}

/** The name is untrusted text: it is isolated, so that its direction does not rearrange the sentence. */
const filled = (text: string, wallet: string, balance = ''): string =>
  text.replaceAll('{wallet}', () => `\u2068${wallet}\u2069`).replaceAll('{balance}', () => balance);

/** After a reload, the page shows again what was sent from it, as long as the requested payment is the same. */
const keyOf = ({ sessionId, network, currency, units }: BrowserPayment): string =>
  `sent ${sessionId} ${network} ${currency} ${units}`;

const keep = (key: string, { at, wallet }: Kept): void => writeTab(key, `${at} ${wallet}`);

/** A page that closed while the wallet waited for the customer does not know the outcome. */
function stateOf(key: string, stored: string): State {
  const [at, ...name] = stored.split(' ');
  const wallet = name.join(' ');
  return at === 'sent' ? { of: key, at, wallet } : { of: key, at: 'failed', wallet, fault: { why: 'unclear' } };
}
