// The page is readable with every colour that a merchant chooses.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brandShades, contrast, GROUNDS, LEAST_CONTRAST, LEAST_SHAPE_CONTRAST } from './brand';
import type { Theme } from './branding';
import { brandingStyle, PALETTES } from './branding-style';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const css = readFileSync(new URL('../../../app/styles/tokens.css', import.meta.url), 'utf8');

describe.each(['light', 'dark'] as const)('the shades of a brand colour in the %s theme', (theme) => {
  const { grounds, texts } = GROUNDS[theme];

  test('are readable on every background, carry readable text, and are a background for the page’s text', () => {
    fc.assert(
      fc.property(color, (given) => {
        const { accent, accentSoft, fill, fillInk } = brandShades(given, theme);
        for (const ground of grounds) expect(contrast(accent, ground)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        expect(contrast(fillInk, fill)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        expect(contrast(fill, PALETTES[theme].surface)).toBeGreaterThanOrEqual(LEAST_SHAPE_CONTRAST);
        for (const text of texts) expect(contrast(text, accentSoft)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        for (const shade of [accent, accentSoft, fill, fillInk]) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('keep a colour that is already readable', () => {
    fc.assert(
      fc.property(color, (given) => {
        fc.pre(grounds.every((ground) => contrast(given, ground) >= LEAST_CONTRAST));
        expect(brandShades(given, theme).accent).toBe(given);
      }),
    );
  });
});

test('contrast is computed as WCAG defines it', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#1a56c4', '#1a56c4')).toBe(1);
});

test('a button on a dark page keeps a colour that white is readable on, and only one that stands out', () => {
  expect(brandShades('#0f766e', 'dark')).toMatchObject({ fill: '#0f766e', fillInk: '#ffffff' });
  for (const tooDark of ['#000000', '#10141f'])
    expect(brandShades(tooDark, 'dark').fill).toBe(brandShades(tooDark, 'dark').accent);
});

describe('the palettes', () => {
  const tokens = [...css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => ({ name, light, dark }),
  );

  test.each(['light', 'dark'] as const)('are those of the stylesheet: %s', (theme) => {
    const colors = Object.fromEntries(tokens.map((token) => [token.name, token[theme]]));
    expect(colors).toMatchObject(PALETTES[theme]);
  });

  test.each(['light', 'dark'] as const)('have only text that is readable on its background: %s', (theme) => {
    const of = (name: string) => tokens.find((token) => token.name === name)?.[theme] ?? '#ffffff';
    const grounds = ['ground', 'surface', 'raised', 'sunken', 'field', 'hover'].map(of);
    for (const text of ['ink', 'muted', 'accent', 'good', 'warn', 'bad'].map(of))
      for (const ground of grounds) expect(contrast(text, ground)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
    const pairs = [
      ...['fill', 'bad', 'test'].map((name) => [`${name}-ink`, name]),
      ...['accent', 'good', 'warn', 'bad'].map((name) => [name, `${name}-soft`]),
      ...['accent', 'good', 'warn', 'bad'].map((name) => ['muted', `${name}-soft`]),
    ] as const;
    for (const [text = '', ground = ''] of pairs)
      expect(contrast(of(text), of(ground)), `${text} on ${ground}`).toBeGreaterThanOrEqual(LEAST_CONTRAST);
    // Of the borders of fields, and of what marks a choice (WCAG 2.2, 1.4.11).
    for (const ground of ['ground', 'surface', 'field'].map(of))
      expect(contrast(of('edge'), ground)).toBeGreaterThanOrEqual(3);
  });

  test('are the colours that the shades are computed for', () => {
    for (const theme of ['light', 'dark'] as const) {
      const { ground, surface, sunken, ink, muted } = PALETTES[theme];
      expect(new Set<string>(GROUNDS[theme].grounds)).toEqual(new Set([ground, surface, sunken]));
      expect(GROUNDS[theme].texts).toEqual([ink, muted]);
    }
  });
});

describe('the style sheet of a branding', () => {
  test('is null when nothing changes', () => {
    expect(brandingStyle({ brandColor: null, theme: 'auto' })).toBeNull();
  });

  test('sets the whole theme, whatever the device prefers', () => {
    const dark = brandingStyle({ brandColor: null, theme: 'dark' }) ?? '';
    expect(dark).toContain('color-scheme:dark;--ground:#0c0f14');
    expect(dark).not.toContain('@media');
    expect(brandingStyle({ brandColor: '#00ff00', theme: 'light' })).not.toContain('#1d55c9');
  });

  test('contains only our own names and colours for every input', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom<Theme>('auto', 'light', 'dark'), (brandColor, theme) => {
        const style = brandingStyle({ brandColor, theme }) ?? '';
        expect(style).toMatch(/^[a-z0-9:;#{}@() -]*$/);
      }),
    );
    expect(brandingStyle({ brandColor: '#ff0066', theme: 'auto' })).toMatch(
      /^:root\{--accent:#[0-9a-f]{6};--accent-soft:#[0-9a-f]{6};--fill:#[0-9a-f]{6};--fill-ink:#[0-9a-f]{6}\}@media \(prefers-color-scheme:dark\)/,
    );
  });
});
