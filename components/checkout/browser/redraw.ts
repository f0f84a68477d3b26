// Draws the page anew: the server draws it as for any visitor, and the difference is merged into what stands here, so that
// the keyboard's place, what was typed and what was unfolded by hand stay.

import { Idiomorph } from 'idiomorph';
import { OwnContent } from './own-content';

const PAGE = '.checkout';
const PATIENCE_MS = 15_000;

let orders = 0;

/** `address`: of this page, with what was chosen. Rejects when the server did not answer with the page. */
export async function redraw(address: string = location.href): Promise<void> {
  const order = (orders += 1);
  const answer = await fetch(address, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`page ${answer.status}`);
  const drawn = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [now, next] = [document.querySelector(PAGE), drawn.querySelector(PAGE)];
  if (!now || !next) throw new Error('no page');
  // A later drawing is on its way.
  if (order !== orders) return;
  merge(now, next);
  document.title = drawn.title;
}

function merge(now: Element, next: Element): void {
  // Parsed here it would be content, and what it says of reloading would be done.
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
      // What is open is for the reader to say.
      beforeAttributeUpdated: (name, { localName }) => !(name === 'open' && localName === 'details'),
    },
  });
  for (const fold of folds) fold();
}

const isTypedInto = (node: Node): boolean =>
  node instanceof HTMLSelectElement || (node instanceof HTMLInputElement && node.type !== 'hidden');

/** The choice folds once it is made, and unfolds while half of it is left; `data-fold` says so and for which choice. */
function foldAnew(old: HTMLDetailsElement, { dataset: { fold } }: HTMLDetailsElement): (() => void)[] {
  return fold === undefined || fold === old.dataset.fold ? [] : [() => setOpen(old, !isFolded(old))];
}

const isFolded = ({ dataset: { fold = '' } }: HTMLElement): boolean => fold.startsWith('folded ');

/** Where the part folds, keyboard focus inside it moves to its summary. Elsewhere the summary is hidden. */
function setOpen(details: HTMLDetailsElement, isOpen: boolean): void {
  const hadFocus = details.contains(document.activeElement);
  details.open = isOpen;
  const summary = details.querySelector('summary');
  if (!isOpen && hadFocus && summary && summary.getClientRects().length > 0) summary.focus();
}

/** Has the links that only change what is chosen draw the page anew in its place. */
export function followChoices(): void {
  document.addEventListener('click', (event) => {
    const { target, metaKey, ctrlKey, shiftKey, altKey, button } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>(`${PAGE} a[href^="?"]`) : null;
    if (!link || metaKey || ctrlKey || shiftKey || altKey || button !== 0) return;
    event.preventDefault();
    const { href } = link;
    // Who presses what is chosen already says yes to it, and nothing is drawn anew.
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
 * A choice of language is taken at once, and needs its button only where it is made with the keyboard: there each press of an arrow
 * is a choice (WCAG 3.2.2).
 */
export function followLanguages(): void {
  let isByKeys = false;
  document.addEventListener('pointerdown', () => (isByKeys = false));
  document.addEventListener('keydown', ({ key }) => (isByKeys ||= key !== 'Tab'));
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && !isByKeys) target.form?.requestSubmit();
  });
}
