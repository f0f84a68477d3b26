// A sentence that contains an hour. The server does not know the reader's time zone and writes UTC; this script
// replaces it with local time.

import { OwnContent } from './own-content';

/** `data-at` (Unix seconds), `data-hour` (the server's text) and `data-format` (the language's hour format). */
export class LocalHour extends OwnContent {
  connectedCallback(): void {
    this.#show(this.textContent);
  }

  override redrawn(drawn: HTMLElement): void {
    this.takeAttributes(drawn);
    this.#show(drawn.textContent);
  }

  #show(text: string): void {
    const { at, hour = '', format } = this.dataset;
    const own = new Intl.DateTimeFormat(format, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    this.textContent = text.replace(hour, own.format(Number(at) * 1000));
  }
}
