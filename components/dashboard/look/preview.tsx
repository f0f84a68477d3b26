'use client';
// How the payment page begins in each theme, drawn in the colours that it will have. A picture of it only: nothing in it can be
// pressed.

import { StoreMark, type Logo } from '@/components/ui/store-mark';
import { useWords } from '@/components/ui/words';
import { brandShades } from '@/lib/stores/brand';
import { PALETTES } from '@/lib/stores/look-style';
import type { ShownTheme } from './brand-field';

type Props = {
  readonly name: string;
  readonly logo: Logo | null;
  /** `#rrggbb`; null for the page's own. */
  readonly color: string | null;
  readonly themes: readonly ShownTheme[];
};

export function Preview({ name, logo, color, themes }: Props) {
  const { t } = useWords();
  return (
    <div className="needs-scripts grid gap-1.5">
      <p className="font-semibold">{t('lookPreview')}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {themes.map((theme) => (
          <Page key={theme} {...{ name, logo, color, theme }} />
        ))}
      </div>
    </div>
  );
}

function Page({ name, logo, color, theme }: Omit<Props, 'themes'> & { readonly theme: ShownTheme }) {
  const { t, format } = useWords();
  return (
    <div
      role="img"
      aria-label={t(`lookPreview_${theme}`)}
      data-preview={theme}
      // By script, because the policy forbids styles in the page's HTML.
      ref={(page) => {
        for (const [property, value] of colorsOf(color, theme)) page?.style.setProperty(property, value);
      }}
      className="grid gap-3 rounded-xl border border-line bg-ground p-4 text-ink"
    >
      <p className="store min-w-0">
        <StoreMark name={name} logo={logo} />
        <bdi className="min-w-0 break-words">{name}</bdi>
      </p>
      <div className="grid justify-items-start gap-2 rounded-lg border border-line bg-surface p-3">
        <p className="text-2xl font-bold">{format.amount('25.00')} USDT</p>
        <p className="text-[0.8125rem] font-semibold text-accent">{t('lookPreviewLink')}</p>
        <span className="rounded-lg bg-accent px-3 py-1.5 font-semibold text-accent-ink">{t('lookPreviewButton')}</span>
      </div>
    </div>
  );
}

/** The page's custom properties (app/styles/base.css) with the store's shades. */
function colorsOf(color: string | null, theme: ShownTheme): (readonly [property: string, value: string])[] {
  const shades = color === null ? null : brandShades(color, theme);
  const own = shades && {
    accent: shades.accent,
    'accent-ink': shades.accentInk,
    'accent-soft': shades.accentSoft,
  };
  return Object.entries({ ...PALETTES[theme], ...own }).map(([name, value]) => [`--${name}`, value] as const);
}
