// The few lines of style that make the hosted page look like its store: the shades of its colour and the theme that it asks
// for. They consist of our own names and of checked colours only, so nothing that a merchant types reaches a style sheet.

import { brandShades } from './brand';
import type { Theme } from './look';

/** The page's own colours in each theme, as app/styles/base.css has them; a test holds the two equal. */
export const PALETTES = {
  light: {
    ground: '#f4f5f7',
    surface: '#ffffff',
    ink: '#14171f',
    muted: '#565d6b',
    line: '#dfe2e8',
    field: '#f4f5f7',
    accent: '#1a56c4',
    'accent-ink': '#ffffff',
    'accent-soft': '#e9f0fd',
    good: '#0b6b3a',
    'good-soft': '#e5f5ec',
    warn: '#7a4a00',
    'warn-soft': '#fff4dc',
    bad: '#a4262c',
    'bad-soft': '#fdecec',
  },
  dark: {
    ground: '#0f1218',
    surface: '#181c24',
    ink: '#eef0f4',
    muted: '#a3abba',
    line: '#303745',
    field: '#10141b',
    accent: '#8fb4ff',
    'accent-ink': '#0c1730',
    'accent-soft': '#1c2a47',
    good: '#6fd39b',
    'good-soft': '#12291d',
    warn: '#f2c46d',
    'warn-soft': '#2c2210',
    bad: '#ff9c9c',
    'bad-soft': '#331a1c',
  },
} as const;

/** CSS for a look, or null when the page is to look as it does. `brandColor` is `#rrggbb`. */
export function lookStyle({ brandColor, theme }: { brandColor: string | null; theme: Theme }): string | null {
  if (theme !== 'auto') {
    return `:root{color-scheme:${theme};${rules({ ...PALETTES[theme], ...branded(brandColor, theme) })}}`;
  }
  if (brandColor === null) return null;
  const light = rules(branded(brandColor, 'light'));
  const dark = rules(branded(brandColor, 'dark'));
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;
}

function branded(color: string | null, theme: 'light' | 'dark'): Readonly<Record<string, string>> {
  if (color === null || !/^#[0-9a-f]{6}$/.test(color)) return {};
  const { accent, accentInk, accentSoft } = brandShades(color, theme);
  return { accent, 'accent-ink': accentInk, 'accent-soft': accentSoft };
}

const rules = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
