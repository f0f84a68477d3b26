// A sentence with an hour in it. The server does not know where the reader is and says the hour in UTC; here it is told by the
// reader's own clock.

import { OwnContent } from './own-content';

/** `data-at` (Unix seconds), `data-hour` (as the server wrote it) and `data-format` (how the page's language writes hours). */
export class LocalHour extends OwnContent {
  connectedCallback(): void {
    this.#tell(this.textContent);
  }

  override redrawn(drawn: HTMLElement): void {
    this.takeAttributes(drawn);
    this.#tell(drawn.textContent);
  }

  #tell(text: string): void {
    const { at, hour = '', format } = this.dataset;
    const own = new Intl.DateTimeFormat(format, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    this.textContent = text.replace(hour, own.format(Number(at) * 1000));
  }
}
