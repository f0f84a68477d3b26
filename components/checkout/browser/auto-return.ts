// The countdown after which a finished page returns to the shop, with a link to go now and a button to stay.

import { startCountdown, type CountdownState } from '@/lib/payments/checkout/browser/shop-countdown';
import { OwnContent } from './own-content';

/** `data-session`, `data-sentences` (by seconds left; the first one while leaving) and `data-stayed`. */
export class AutoReturn extends OwnContent {
  #end: (() => void) | undefined;

  connectedCallback(): void {
    const key = `stays ${this.dataset.session}`;
    this.#end = startCountdown(this, {
      key,
      seconds: this.#sentences().length - 1,
      show: (state) => this.#show(state),
    });
  }

  disconnectedCallback(): void {
    this.#end?.();
  }

  /** Another final state of the session leads to another address of the shop. */
  override redrawn(drawn: HTMLElement): void {
    if (drawn.dataset.kind !== this.dataset.kind) this.replaceWith(document.importNode(drawn, true));
  }

  #sentences(): string[] {
    return JSON.parse(this.dataset.sentences as string) as string[];
  }

  #show({ now, left }: CountdownState): void {
    const sentences = this.#sentences();
    const isCounting = now === 'counting';
    const [text, said] = [this.querySelector('.shop-return-text'), this.querySelector('[role=status]')];
    this.dataset.return = now;
    if (!text || !said) return;
    text.textContent = (now === 'staying' ? this.dataset.stayed : sentences[now === 'leaving' ? 0 : left]) ?? '';
    // Screen readers do not announce a timer. They announce once when the page will leave.
    if (isCounting) text.setAttribute('role', 'timer');
    else text.removeAttribute('role');
    const when = isCounting && left < sentences.length - 1 ? (sentences.at(-2) ?? '') : '';
    if (said.textContent !== when) said.textContent = when;
  }
}
