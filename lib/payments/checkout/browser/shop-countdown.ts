// Returns to the shop after a countdown, unless the customer stays. A customer who stays, starts to use the page or comes back to it
// in this tab is never moved again. Loaded only for finished payments; without it, the page's link and form work alone.

import { readTab, writeTab } from './tab-storage';

type Decision = 'counting' | 'leaving' | 'staying';
/** What the page shows: the decision, and the seconds left while counting. */
export type CountdownState = { readonly now: Decision; readonly left: number };

type Settings = { readonly key: string; readonly seconds: number; readonly show: (state: CountdownState) => void };

/** A customer who focuses one of these has started to use the page. */
const IN_USE = 'input, select, textarea, summary';

/** Starts the countdown in a section with a link to the shop and a form to stay. `key`: the storage key. Returns a stop function. */
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
    // Pause the countdown while the page is hidden.
    if (now !== 'counting' || document.visibilityState === 'hidden') return;
    left -= 1;
    if (left > 0) show({ now, left });
    else link?.click();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    decide('staying');
    // The form's button disappears, so move the keyboard focus.
    section.querySelector('p')?.focus();
  };
  // If the shop opens in another tab, this one stays.
  const go = (event: MouseEvent): void =>
    decide(event.metaKey || event.ctrlKey || event.shiftKey ? 'staying' : 'leaving');

  if (readTab(key) !== null || document.activeElement?.closest(IN_USE)) decide('staying');
  link?.addEventListener('click', go, until);
  section.addEventListener('submit', submit, until);
  document.addEventListener('focusin', stayInUse, until);
  document.addEventListener('click', stayInUse, until);
  // The customer came back with the browser's back button, without a reload.
  window.addEventListener('pageshow', ({ persisted }) => persisted && decide('staying'), until);
  const timer = setInterval(count, 1000);
  return () => {
    clearInterval(timer);
    end.abort();
  };
}
