// The live part of the hosted page. It polls the server for the status, counts down by the server's clock, and redraws
// the page when its content changes. It never decides anything about money.

import { clockText } from '@/lib/payments/checkout/clock-text';
import { fingerprint } from '@/lib/payments/checkout/stage';
import type { PublicStatus } from '@/lib/payments/checkout/view';
import { OwnContent } from './own-content';
import { redraw } from './redraw';

/** While money is awaited, later, and after the session ended (a late payment can still be shown). */
const EVERY_MS = { fresh: 2000, patient: 5000, ended: 30_000 };
const SLOW_POLL_AFTER_MS = 10 * 60_000;
const LONGEST_RETRY_MS = 30_000;
/** A failed redraw is retried after this time. */
const REDRAW_MS = 10_000;
const TIMEOUT_MS = 10_000;

/** `data-status-url`, `data-status` (the page's own), `data-soon` (seconds); texts `data-nearly` and `data-offline`. */
export class LiveStatus extends OwnContent {
  /** Both are set when connected. */
  #drawn!: PublicStatus;
  #latest!: PublicStatus;
  /** By this browser's clock. It only measures elapsed time; its absolute time may be wrong. */
  #over = 0;
  readonly #opened = performance.now();
  #lastRedraw = { print: '', at: 0 };
  #failures = 0;
  #isAsking = false;
  #next: ReturnType<typeof setTimeout> | undefined;
  #gone = new AbortController();

  connectedCallback(): void {
    this.#gone = new AbortController();
    const { signal } = this.#gone;
    this.#drawn = this.#readDrawn();
    const poll = () => void this.#poll();
    document.addEventListener('visibilitychange', poll, { signal });
    for (const back of ['focus', 'online', 'pageshow']) window.addEventListener(back, poll, { signal });
    const tick = setInterval(() => this.#tick(), 1000);
    signal.addEventListener('abort', () => clearInterval(tick));
    this.#takeLatest(this.#drawn);
    // At once: on a slow connection the page may be seconds old before this runs.
    poll();
  }

  disconnectedCallback(): void {
    clearTimeout(this.#next);
    this.#gone.abort();
  }

  override redrawn(drawn: HTMLElement): void {
    this.takeAttributes(drawn);
    const isCounting = this.querySelector('.countdown') !== null;
    if (isCounting !== (drawn.querySelector('.countdown') !== null)) this.replaceChildren(...drawn.childNodes);
    this.#drawn = this.#readDrawn();
    if (this.#drawn.server_time >= this.#latest.server_time) this.#takeLatest(this.#drawn);
    this.#show();
  }

  #readDrawn(): PublicStatus {
    return JSON.parse(this.dataset.status as string) as PublicStatus;
  }

  #takeLatest(status: PublicStatus): void {
    this.#latest = status;
    this.#over = performance.now() + (status.expires_at - status.server_time) * 1000;
  }

  async #poll(): Promise<void> {
    if (this.#isAsking || document.visibilityState === 'hidden') return;
    clearTimeout(this.#next);
    this.#isAsking = true;
    try {
      const status = await readStatus(this.dataset.statusUrl as string);
      this.#failures = 0;
      if (status.server_time > this.#drawn.server_time) this.#takeLatest(status);
    } catch {
      this.#failures += 1;
    }
    this.#isAsking = false;
    if (!this.isConnected) return;
    this.#next = setTimeout(() => void this.#poll(), this.#pause());
    this.#show();
    this.#redrawWhatChanged();
  }

  #pause(): number {
    if (this.#failures > 0) return Math.min(EVERY_MS.fresh * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    if (this.#latest.status !== 'PENDING') return EVERY_MS.ended;
    return performance.now() - this.#opened > SLOW_POLL_AFTER_MS ? EVERY_MS.patient : EVERY_MS.fresh;
  }

  #redrawWhatChanged(): void {
    const print = fingerprint(this.#latest);
    const now = performance.now();
    const isNew = this.#lastRedraw.print !== print || now - this.#lastRedraw.at > REDRAW_MS;
    if (print === fingerprint(this.#drawn) || !isNew) return;
    this.#lastRedraw = { print, at: now };
    // A failed redraw is requested again with a later status.
    redraw().catch(() => undefined);
  }

  #tick(): void {
    const wasOver = this.#seconds === 0;
    this.#show();
    if (!wasOver && this.#seconds === 0) void this.#poll();
  }

  /** As shown. */
  #seconds = -1;

  #show(): void {
    this.#seconds = Math.max(0, Math.ceil((this.#over - performance.now()) / 1000));
    const { soon, nearly = '', offline = '' } = this.dataset;
    const isSoon = this.#seconds <= Number(soon);
    const countdown = this.querySelector('.countdown');
    countdown?.classList.toggle('countdown-soon', isSoon);
    write(countdown?.querySelector('[role=timer]'), clockText(this.#seconds));
    // Announced once: a timer that speaks every second is unusable.
    write(this.querySelector('.only-read'), countdown && isSoon && this.#seconds > 0 ? nearly : '');
    write(this.querySelector('.offline'), this.#failures > 0 ? offline : '');
  }
}

/** Unchanged text is not written; screen readers would announce it again. */
function write(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

async function readStatus(address: string): Promise<PublicStatus> {
  const answer = await fetch(address, {
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as PublicStatus;
}
