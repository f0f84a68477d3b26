'use client';
// Short messages about results, announced by screen readers. They disappear after a while, but not while hovered.

import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { IconButton } from './button';
import { Icon } from './icon';
import { useWords } from './words';

type Tone = 'good' | 'bad';
type News = { readonly id: number; readonly tone: Tone; readonly text: string };
type ShowToast = (text: string, tone?: Tone) => void;

const ToastContext = createContext<ShowToast>(() => undefined);

/** Long enough to read a sentence; errors stay until they are closed. */
const SHOWN_MILLISECONDS = 6000;
const MAX_AT_ONCE = 3;

/** Shows a message: `toast('Saved.')`, `toast('…', 'bad')`. */
export const useToast = (): ShowToast => useContext(ToastContext);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [news, setNews] = useState<readonly News[]>([]);
  const next = useRef(0);
  const close = useCallback((id: number) => setNews((all) => all.filter((one) => one.id !== id)), []);
  const show = useMemo<ShowToast>(
    () =>
      (text, tone = 'good') => {
        next.current += 1;
        const id = next.current;
        setNews((all) => [...all.slice(1 - MAX_AT_ONCE), { id, tone, text }]);
      },
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="dash pointer-events-none fixed inset-x-3 bottom-3 z-60 grid justify-items-center gap-2 sm:start-auto sm:end-5 sm:bottom-5 sm:w-96"
      >
        {news.map((one) => (
          <Toast key={one.id} news={one} onClose={close} />
        ))}
      </div>
    </ToastContext>
  );
}

function Toast({ news, onClose }: { news: News; onClose: (id: number) => void }) {
  const { t } = useWords();
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld || news.tone === 'bad') return;
    const timer = setTimeout(() => onClose(news.id), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isHeld, news, onClose]);
  return (
    <div
      onMouseEnter={() => setIsHeld(true)}
      onMouseLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="pointer-events-auto flex w-full animate-rise items-center gap-3 rounded-xl border border-line bg-raised py-2 ps-3.5 pe-2 shadow-pop"
    >
      <Icon
        name={news.tone === 'good' ? 'check' : 'warn'}
        size={18}
        className={news.tone === 'good' ? 'text-good' : 'text-bad'}
      />
      <p className="min-w-0 flex-1 font-semibold">{news.text}</p>
      <IconButton icon="close" label={t('uiClose')} onClick={() => onClose(news.id)} />
    </div>
  );
}
