// The CSS that gives the hosted page its store's branding: the shades of its colour and its theme. It consists of our own names and
// validated colours only, so no text of a merchant reaches a style sheet.

import { brandShades } from './brand';
import type { Theme } from './branding';

/** The hosted page's own colours in each theme, as in app/styles/tokens.css. A test compares the two. */
export const PALETTES = {
  light: {
    ground: '#f6f7f9',
    surface: '#ffffff',
    sunken: '#eef0f4',
    ink: '#10141f',
    muted: '#555d6d',
    line: '#e2e6ec',
    accent: '#1d55c9',
    'accent-soft': '#eaf1fe',
    fill: '#1d55c9',
    'fill-ink': '#ffffff',
    good: '#0a6b3b',
    'good-soft': '#e4f5ec',
    warn: '#7a4a00',
    'warn-soft': '#fff3da',
    bad: '#b0242b',
    'bad-soft': '#fdecec',
  },
  dark: {
    ground: '#0c0f14',
    surface: '#14181f',
    sunken: '#0a0d11',
    ink: '#eef0f4',
    muted: '#a4acba',
    line: '#2a303b',
    accent: '#8ab0ff',
    'accent-soft': '#17233d',
    fill: '#3468e0',
    'fill-ink': '#ffffff',
    good: '#66d19a',
    'good-soft': '#10281c',
    warn: '#f0c267',
    'warn-soft': '#2b2110',
    bad: '#ff9a9a',
    'bad-soft': '#34191b',
  },
} as const;

/** CSS for a store's branding, or null when the page keeps its default style. `brandColor` is `#rrggbb`. */
export function brandingStyle({ brandColor, theme }: { brandColor: string | null; theme: Theme }): string | null {
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
  const { accent, accentSoft, fill, fillInk } = brandShades(color, theme);
  return { accent, 'accent-soft': accentSoft, fill, 'fill-ink': fillInk };
}

const rules = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
