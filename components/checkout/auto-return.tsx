'use client';
// Goes back to the shop after a countdown, unless the customer stays. A customer who stays, starts to use the page or comes
// back to it in this tab is never moved again.

import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type FormEvent, type MouseEvent } from 'react';
import { readTab, writeTab } from '@/lib/checkout/browser/tab-storage';

type Props = {
  readonly kind: string;
  readonly href: string;
  readonly sessionId: string;
  /** Fields of the form that stays without scripts. */
  readonly stay: Readonly<Record<string, string>>;
  /** What to say by the seconds that are left; the first one while leaving. */
  readonly sentences: readonly string[];
  readonly words: Readonly<Record<'go' | 'stay' | 'stayed', string>>;
};

/** A customer in one of these has begun to use the page. */
const IN_USE = 'input, select, textarea, summary';

export function AutoReturn({ kind, href, sessionId, stay: fields, sentences, words }: Props) {
  const link = useRef<HTMLAnchorElement>(null);
  const text = useRef<HTMLParagraphElement>(null);
  const { now, stay, leave } = useDecision(`stays ${sessionId}`);
  const isCounting = now === 'counting';
  const left = useSecondsLeft(sentences.length - 1, isCounting, () => link.current?.click());
  useStayInUse(isCounting, stay);

  const onGo = (event: MouseEvent): void => {
    // The shop opens in another tab, so this one stays.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return stay();
    leave();
  };
  const onStay = (event: FormEvent): void => {
    event.preventDefault();
    stay();
    // The button goes, and the keyboard must not lose its place.
    text.current?.focus();
  };
  return (
    <section className="shop-return" data-return={now}>
      {/* A timer is silent for screen readers: they hear once, below, when the page will go. */}
      <p ref={text} className="shop-return-text" tabIndex={-1} role={isCounting ? 'timer' : undefined}>
        {now === 'staying' ? words.stayed : sentences[now === 'leaving' ? 0 : left]}
      </p>
      <div className="shop-return-ways">
        <a ref={link} className="button" href={href} rel="noreferrer" data-link={kind} onClick={onGo}>
          {words.go}
        </a>
        {isCounting && (
          <form method="get" onSubmit={onStay}>
            {Object.entries(fields).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <button type="submit" className="button-quiet">
              {words.stay}
            </button>
          </form>
        )}
      </div>
      <p className="only-read" role="status">
        {isCounting && left < sentences.length - 1 ? sentences.at(-2) : ''}
      </p>
    </section>
  );
}

type Decision = 'counting' | 'leaving' | 'staying';

/** What becomes of the page. The tab remembers under `key` that the page stays from now on. */
function useDecision(key: string): { now: Decision; stay: () => void; leave: () => void } {
  const isStored = useSyncExternalStore(nothingChanges, () => readTab(key) !== null, inNoTab);
  const [at, setAt] = useState<Decision>('counting');
  const decide = useCallback(
    (decision: Decision) => {
      // A customer who comes back after leaving wants to be on this page.
      writeTab(key, '1');
      setAt(decision);
    },
    [key],
  );
  const stay = useCallback(() => decide('staying'), [decide]);
  const leave = useCallback(() => decide('leaving'), [decide]);
  return { now: at === 'counting' && isStored ? 'staying' : at, stay, leave };
}

/** Counts only while somebody can see it, and calls `onOver` at zero. */
function useSecondsLeft(from: number, isCounting: boolean, onOver: () => void): number {
  const [left, setLeft] = useState(from);
  const over = useRef(onOver);
  useEffect(() => {
    over.current = onOver;
  });
  useEffect(() => {
    if (!isCounting) return;
    let seconds = from;
    const timer = setInterval(() => {
      if (document.visibilityState === 'hidden') return;
      seconds -= 1;
      if (seconds > 0) return setLeft(seconds);
      clearInterval(timer);
      over.current();
    }, 1000);
    return () => clearInterval(timer);
  }, [from, isCounting]);
  return left;
}

/** Stays when the customer starts to use the page, or comes back to it from the shop without a reload. */
function useStayInUse(isCounting: boolean, stay: () => void): void {
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && stay();
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, [stay]);
  useEffect(() => {
    if (!isCounting) return;
    const onUse = ({ target }: Event) => target instanceof Element && target.closest(IN_USE) && stay();
    const events = ['focusin', 'click'] as const;
    for (const event of events) document.addEventListener(event, onUse);
    return () => {
      for (const event of events) document.removeEventListener(event, onUse);
    };
  }, [isCounting, stay]);
}

const nothingChanges = () => () => {};
const inNoTab = () => false;
