'use client';
// The customer pages with the form's values: the product's own pages in a frame (app/branding-preview), not a mock-up.

import { useEffect, useRef, useState, type SyntheticEvent } from 'react';
import { Tabs } from '@/components/ui/tabs';
import { useWords } from '@/components/ui/words';
import type { Theme } from '@/lib/merchants/branding/branding';

/** The form's values as typed. The server keeps the saved value of a field while its text is invalid. */
export type Draft = {
  readonly name: string;
  readonly color: string;
  readonly theme: Theme;
  readonly contact: string;
};

type Shown = Exclude<Theme, 'auto'>;
type Props = {
  readonly storeId: string;
  readonly draft: Draft;
  /** Hash of the saved logo; a preview with another one is loaded again. */
  readonly logo: string;
};

const VIEWS = ['new', 'paid', 'receipt'] as const;
const THEMES = ['light', 'dark'] as const;

export function Preview({ storeId, draft, logo }: Props) {
  const { t } = useWords();
  const [shown, setShown] = useState<Shown>('light');
  const theme = draft.theme === 'auto' ? shown : draft.theme;
  const query = new URLSearchParams({ ...draft, theme, logo }).toString();
  return (
    <section aria-labelledby="branding-preview" className="needs-scripts grid min-w-0 gap-2 xl:sticky xl:top-20">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2 pointer-coarse:min-h-11">
        <h2 id="branding-preview" className="text-base font-bold">
          {t('brandingPreview')}
        </h2>
        {draft.theme === 'auto' && <ThemeChoice shown={shown} onChange={setShown} />}
      </div>
      <Tabs
        label={t('brandingPreview')}
        tabs={VIEWS.map((view) => ({
          id: `branding-${view}`,
          label: t(`brandingPreview_${view}`),
          content: (
            <Framed
              title={`${t('brandingPreview')}: ${t(`brandingPreview_${view}`)}`}
              address={`/branding-preview/${encodeURIComponent(storeId)}/${view}?${query}`}
            />
          ),
        }))}
      />
      <p className="text-[0.8125rem] text-muted">{t('brandingPreviewHint')}</p>
    </section>
  );
}

function ThemeChoice({ shown, onChange }: { shown: Shown; onChange: (theme: Shown) => void }) {
  const { t } = useWords();
  return (
    <div role="group" aria-label={t('brandingTheme')} className="inline-flex rounded-lg border border-edge/50 p-0.5">
      {THEMES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === shown}
          onClick={() => onChange(one)}
          className="min-h-7 rounded-md px-2.5 text-[0.8125rem] font-semibold text-muted aria-pressed:bg-accent-soft aria-pressed:text-accent pointer-coarse:min-h-11"
        >
          {t(`uiTheme_${one}`)}
        </button>
      ))}
    </div>
  );
}

/** Long enough that typing a name does not reload the page for each letter. */
const TYPING_MILLISECONDS = 300;

function Framed({ title, address }: { title: string; address: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [first] = useState(address);
  const requested = useRef(first);
  useEffect(() => {
    const wait = setTimeout(() => {
      if (requested.current === address) return;
      requested.current = address;
      // Replaced, so that the browser's Back button leads to the page before this one.
      frame.current?.contentWindow?.location.replace(address);
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(wait);
  }, [address]);
  return (
    // The page's policy forbids scripts. A sandbox would render it as without scripts, or without the logo.
    // oxlint-disable-next-line react/iframe-missing-sandbox
    <iframe
      ref={frame}
      src={first}
      title={title}
      onLoad={keepHere}
      data-preview=""
      className="h-160 w-full max-w-[392px] rounded-xl border border-line bg-surface xl:h-[min(844px,calc(100dvh-14rem))]"
    />
  );
}

/** Folds open as on the real page; links and buttons lead nowhere. */
function keepHere({ currentTarget }: SyntheticEvent<HTMLIFrameElement>): void {
  const page = currentTarget.contentDocument;
  page?.addEventListener('click', blockLinks, true);
  page?.addEventListener('submit', stop, true);
}

const stop = (event: Event): void => event.preventDefault();

/** Elements in the frame belong to the frame's own classes, so `instanceof` fails. */
function blockLinks(event: Event): void {
  const { target } = event;
  if (target && 'closest' in target && (target as Element).closest('a, button')) stop(event);
}
