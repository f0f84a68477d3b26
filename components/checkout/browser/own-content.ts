// An element that keeps its own content while the page around it is redrawn.

export abstract class OwnContent extends HTMLElement {
  /** Receives the element's new rendering from the server and adopts what changed. */
  abstract redrawn(drawn: HTMLElement): void;

  protected takeAttributes(drawn: HTMLElement): void {
    for (const { name, value } of drawn.attributes) if (name.startsWith('data-')) this.setAttribute(name, value);
  }
}
