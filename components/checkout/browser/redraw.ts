// Redraws the page: the server renders it as for any visitor, and the differences are merged into the document. Focus,
// typed text and manually unfolded parts are kept.

import { Idiomorph } from 'idiomorph';
import { OwnContent } from './own-content';

const PAGE = '.checkout';
const TIMEOUT_MS = 15_000;

let orders = 0;

/** `address`: of this page, with the current choices. Rejects if the server did not respond with the page. */
export async function redraw(address: string = location.href): Promise<void> {
  const order = (orders += 1);
  const answer = await fetch(address, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`page ${answer.status}`);
  const drawn = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [now, next] = [document.querySelector(PAGE), drawn.querySelector(PAGE)];
  if (!now || !next) throw new Error('no page');
  // A later redraw is on its way.
  if (order !== orders) return;
  merge(now, next);
  document.title = drawn.title;
}

function merge(now: Element, next: Element): void {
  // Inside the parsed document, the refresh element would be content and its reload would take effect.
  for (const one of next.querySelectorAll('noscript')) one.remove();
  const folds: (() => void)[] = [];
  void Idiomorph.morph(now, next, {
    morphStyle: 'outerHTML',
    callbacks: {
      beforeNodeMorphed: (old: Node, fresh: Node) => {
        if (old instanceof OwnContent) {
          old.redrawn(fresh as HTMLElement);
          return false;
        }
        if (old instanceof HTMLDetailsElement) folds.push(...foldAnew(old, fresh as HTMLDetailsElement));
        return !isTypedInto(old);
      },
      // The reader decides what is open.
      beforeAttributeUpdated: (name, { localName }) => !(name === 'open' && localName === 'details'),
    },
  });
  for (const fold of folds) fold();
}

const isTypedInto = (node: Node): boolean =>
  node instanceof HTMLSelectElement || (node instanceof HTMLInputElement && node.type !== 'hidden');

/** The choice folds when made, and unfolds while half of it is missing. `data-fold` says so and for which choice. */
function foldAnew(old: HTMLDetailsElement, { dataset: { fold } }: HTMLDetailsElement): (() => void)[] {
  return fold === undefined || fold === old.dataset.fold ? [] : [() => setOpen(old, !isFolded(old))];
}

const isFolded = ({ dataset: { fold = '' } }: HTMLElement): boolean => fold.startsWith('folded ');

/** When a part folds, keyboard focus inside it moves to its summary. Elsewhere the summary is hidden. */
function setOpen(details: HTMLDetailsElement, isOpen: boolean): void {
  const hadFocus = details.contains(document.activeElement);
  details.open = isOpen;
  const summary = details.querySelector('summary');
  if (!isOpen && hadFocus && summary && summary.getClientRects().length > 0) summary.focus();
}

/** Makes links that only change the choice redraw the page in place. */
export function followChoices(): void {
  document.addEventListener('click', (event) => {
    const { target, metaKey, ctrlKey, shiftKey, altKey, button } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>(`${PAGE} a[href^="?"]`) : null;
    if (!link || metaKey || ctrlKey || shiftKey || altKey || button !== 0) return;
    event.preventDefault();
    const { href } = link;
    // A press on the current choice confirms it; nothing is redrawn.
    const details = link.closest<HTMLDetailsElement>('details[data-fold]');
    const isChosen = details && isFolded(details) && link.hasAttribute('aria-current') && link.closest('.networks');
    if (isChosen) setOpen(details, false);
    (isChosen ? Promise.resolve() : redraw(href)).then(
      () => history.replaceState(null, '', href),
      () => location.assign(href),
    );
  });
}

/**
 * A choice of language is applied at once. Only keyboard users need the button: for them, each arrow key is a choice
 * (WCAG 3.2.2).
 */
export function followLanguages(): void {
  let isByKeys = false;
  document.addEventListener('pointerdown', () => (isByKeys = false));
  document.addEventListener('keydown', ({ key }) => (isByKeys ||= key !== 'Tab'));
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && !isByKeys) target.form?.requestSubmit();
  });
}
