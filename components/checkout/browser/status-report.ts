// Reports the payment's status to the page that opened or framed this one, if the store has listed its origin. Each
// message names one listed origin as its only allowed target, so no other page receives it.

import type { Report } from '@/components/checkout/elements';
import { OwnContent } from './own-content';

/** The script on the shop's page closes this window sooner; after this time the page returns by itself. */
const ANSWER_MS = 1000;

/** `data-origins`: the store's listed origins. `data-report`: what everyone with the page's address can see. */
export class StatusReport extends OwnContent {
  #gone = new AbortController();

  connectedCallback(): void {
    this.#gone = new AbortController();
    this.#sendReport();
    if (!shopWindow()) return;
    const { signal } = this.#gone;
    document.addEventListener('keydown', (event) => this.#onKey(event), { signal });
    document.addEventListener('click', (event) => this.#onClick(event), { signal, capture: true });
  }

  disconnectedCallback(): void {
    this.#gone.abort();
  }

  override redrawn(drawn: HTMLElement): void {
    const isOther = drawn.dataset.report !== this.dataset.report;
    this.takeAttributes(drawn);
    if (isOther) this.#sendReport();
  }

  #currentReport(): Report {
    return JSON.parse(this.dataset.report as string) as Report;
  }

  #send(message: Readonly<Record<string, string>>): void {
    const listener = shopWindow();
    if (!listener) return;
    for (const origin of JSON.parse(this.dataset.origins as string) as string[]) listener.postMessage(message, origin);
  }

  #sendReport(): void {
    this.#send({ type: 'stabletill.status', ...this.#currentReport() });
  }

  /** The frame has the keyboard focus, so the shop's page does not receive this key. */
  #onKey(event: KeyboardEvent): void {
    if (!isFramed() || event.key !== 'Escape' || event.defaultPrevented) return;
    this.#send({ type: 'stabletill.close', session_id: this.#currentReport().session_id });
  }

  /** "Back to the shop" leads to the shop's own page: never to the shop in its own frame or a second pop-up. */
  #onClick(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    // Wallet pages refuse to be framed.
    if (isFramed() && link.matches('.open-wallet') && link.protocol === 'https:') link.target = '_blank';
    if (!link.dataset.link) return;
    event.preventDefault();
    const { href } = link;
    this.#send({ type: 'stabletill.return', session_id: this.#currentReport().session_id, url: href });
    setTimeout(() => window.open(href, isFramed() ? '_top' : '_self'), ANSWER_MS);
  }
}

const isFramed = (): boolean => window.parent !== window;

/** The page that framed or opened this one; null when there is none or it is closed. */
const shopWindow = (): Window | null => (isFramed() ? window.parent : (window.opener as Window | null));
