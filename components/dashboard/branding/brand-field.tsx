'use client';
// The brand colour, typed or picked, and the shades that the payment page derives from it. Each shows its contrast,
// which explains why a light yellow becomes a dark one.

import { controlClass, Field } from '@/components/ui/field';
import { useWords } from '@/components/ui/words';
import { brandShades, contrast, GROUNDS } from '@/lib/merchants/branding/brand';

type ShownTheme = keyof typeof GROUNDS;

/** The picker's colour before a choice: the page's own accent. */
const NO_COLOR = '#1d55c9';

/** The colour in a text as `#rrggbb`; null if there is none. */
function colorIn(text: string): string | null {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : null;
}

type Props = {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly themes: readonly ShownTheme[];
};

export function BrandField({ value, onChange, themes }: Props) {
  const { t } = useWords();
  const color = colorIn(value);
  return (
    <div className="grid gap-2">
      <Field name="brand_color" label={t('brandingColor')} hint={t('brandingColorHint')} isOptional>
        {({ id, describedBy, isInvalid }) => (
          <span className="flex gap-2">
            <input
              type="text"
              id={id}
              name="brand_color"
              value={value}
              onChange={(event) => onChange(event.target.value)}
              aria-describedby={describedBy}
              aria-invalid={isInvalid || undefined}
              pattern="\s*#[0-9a-fA-F]{6}\s*"
              title={t('brandingColorHint')}
              placeholder={NO_COLOR}
              maxLength={20}
              spellCheck={false}
              autoComplete="off"
              className={`${controlClass} max-w-40 font-mono`}
            />
            <input
              type="color"
              aria-label={t('brandingColorPick')}
              value={color ?? NO_COLOR}
              onChange={(event) => onChange(event.target.value)}
              className="needs-scripts h-9 w-12 flex-none cursor-pointer rounded-lg border border-edge/70 bg-field p-1 pointer-coarse:h-11"
            />
          </span>
        )}
      </Field>
      {color !== null && (
        <ul aria-label={t('brandingShades')} className="grid gap-1.5 text-[0.8125rem]">
          {themes.map((theme) => (
            <Shade key={theme} color={color} theme={theme} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Shade({ color, theme }: { color: string; theme: ShownTheme }) {
  const { t, format } = useWords();
  const { accent, fill, fillInk } = brandShades(color, theme);
  // Rounded down, so that a displayed contrast is really reached.
  const ratio = (value: number): string => format.number(Math.floor(value * 10) / 10);
  const page = Math.min(...GROUNDS[theme].grounds.map((ground) => contrast(accent, ground)));
  return (
    <li className="flex items-start gap-2">
      {/* An SVG, because the colour can be an attribute there; the policy forbids inline styles. */}
      <svg width="20" height="20" aria-hidden="true" className="flex-none">
        <rect x="0.5" y="0.5" width="19" height="19" rx="4" fill={accent} stroke="currentColor" strokeOpacity="0.3" />
      </svg>
      <span>
        <span className="font-semibold">{t(`brandingShade_${theme}`)}</span> <code>{accent}</code>{' '}
        {accent === color ? t('brandingShadeSame') : t('brandingShadeChanged')}
        <span className="block text-muted">
          {t('brandingContrast', { page: ratio(page), button: ratio(contrast(fillInk, fill)) })}
        </span>
      </span>
    </li>
  );
}
