// An element that keeps its own content while the page around it is drawn anew.

export abstract class OwnContent extends HTMLElement {
  /** Told what the server's new drawing of it holds; takes of it what changed. */
  abstract redrawn(drawn: HTMLElement): void;

  protected takeAttributes(drawn: HTMLElement): void {
    for (const { name, value } of drawn.attributes) if (name.startsWith('data-')) this.setAttribute(name, value);
  }
}
