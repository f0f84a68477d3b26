// Goes back to the shop after a countdown, unless the customer stays. A customer who stays, starts to use the page or comes
// back to it in this tab is never moved again. Loaded only where a payment is finished; until then, and if it never loads,
// the page's link and form work by themselves.

import { readTab, writeTab } from './tab-storage';

export type Decision = 'counting' | 'leaving' | 'staying';
/** What the page shows: the decision, and the seconds left while counting. */
export type CountdownState = { readonly now: Decision; readonly left: number };

type Settings = { readonly key: string; readonly seconds: number; readonly show: (state: CountdownState) => void };

/** A customer in one of these has begun to use the page. */
const IN_USE = 'input, select, textarea, summary';

/** Starts counting in a section with a link that goes and a form that stays. `key`: what the tab remembers. Returns what ends it. */
export function startCountdown(section: HTMLElement, { key, seconds, show }: Settings): () => void {
  const link = section.querySelector('a');
  const end = new AbortController();
  const until = { signal: end.signal };
  let left = seconds;
  let now: Decision = 'counting';
  const decide = (decision: Decision): void => {
    // A customer who comes back after leaving wants to be on this page.
    writeTab(key, '1');
    now = decision;
    show({ now, left });
  };
  const stayInUse = ({ target }: Event): void => {
    if (now === 'counting' && target instanceof Element && target.closest(IN_USE)) decide('staying');
  };
  const count = (): void => {
    // Nobody reads a countdown on a page that is not looked at.
    if (now !== 'counting' || document.visibilityState === 'hidden') return;
    left -= 1;
    if (left > 0) show({ now, left });
    else link?.click();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    decide('staying');
    // The form's button goes away, and the keyboard must not lose its place.
    section.querySelector('p')?.focus();
  };
  // The shop that opens in another tab leaves this one where it is.
  const go = (event: MouseEvent): void =>
    decide(event.metaKey || event.ctrlKey || event.shiftKey ? 'staying' : 'leaving');

  if (readTab(key) !== null || document.activeElement?.closest(IN_USE)) decide('staying');
  link?.addEventListener('click', go, until);
  section.addEventListener('submit', submit, until);
  document.addEventListener('focusin', stayInUse, until);
  document.addEventListener('click', stayInUse, until);
  // The browser's button brought the customer back without a reload.
  window.addEventListener('pageshow', ({ persisted }) => persisted && decide('staying'), until);
  const timer = setInterval(count, 1000);
  return () => {
    clearInterval(timer);
    end.abort();
  };
}
