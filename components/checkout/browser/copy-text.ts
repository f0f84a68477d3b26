// Copies one text, confirms it, and asks to compare it, so that a clipboard hijack is visible (C-07 in docs/failure-model.md#payment-page).

import { OwnContent } from './own-content';

const MESSAGE_MS = 6000;

/** `data-text` is copied, then `data-proof` is shown. Texts: `data-copy`, `data-label`, `data-copied`, `data-failed` */
export class CopyText extends OwnContent {
  #over: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    this.addEventListener('click', this.#copy);
  }

  disconnectedCallback(): void {
    clearTimeout(this.#over);
    this.removeEventListener('click', this.#copy);
  }

  override redrawn(drawn: HTMLElement): void {
    const isOther = drawn.dataset.text !== this.dataset.text;
    this.takeAttributes(drawn);
    if (isOther) this.#announce('nothing');
  }

  readonly #copy = ({ target }: Event): void => {
    if (!(target instanceof Element && target.closest('button'))) return;
    navigator.clipboard.writeText(this.dataset.text as string).then(
      () => this.#announce('copied'),
      () => this.#announce('failed'),
    );
  };

  #announce(outcome: 'nothing' | 'copied' | 'failed'): void {
    const { copy = '', label = '', copied = '', failed = '', proof = '' } = this.dataset;
    const [button, said] = [this.querySelector('button'), this.querySelector('.copy-proof')];
    if (!button || !said) return;
    this.dataset.said = outcome;
    button.textContent = outcome === 'copied' ? copied : copy;
    if (outcome === 'copied') button.removeAttribute('aria-label');
    else button.setAttribute('aria-label', label);
    said.textContent = { nothing: '', copied: proof, failed }[outcome];
    clearTimeout(this.#over);
    if (outcome !== 'nothing') this.#over = setTimeout(() => this.#announce('nothing'), MESSAGE_MS);
  }
}

/** Copies the address at each press on a wallet app link, and says so: browsers do not report whether an app opened. */
export function copyForWallets(): void {
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLElement>('a[data-copied]') : null;
    const box = link?.closest<HTMLElement>('[data-copies]');
    const said = box?.querySelector('[role=status]');
    if (!link || !box || !said) return;
    navigator.clipboard.writeText(box.dataset.copies as string).then(
      () => (said.textContent = link.dataset.copied as string),
      () => (said.textContent = box.dataset.failed as string),
    );
  });
}
