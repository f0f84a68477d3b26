// Whatever colour a merchant gives, the page made of it can be read.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brandShades, contrast, GROUNDS, LEAST_CONTRAST } from './brand';
import type { Theme } from './look';
import { lookStyle, PALETTES } from './look-style';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const css = readFileSync(new URL('../../app/styles/base.css', import.meta.url), 'utf8');

describe.each(['light', 'dark'] as const)('the shades of a brand colour in the %s theme', (theme) => {
  const { grounds, texts } = GROUNDS[theme];

  test('can be read on every ground, carry readable text, and are a ground for the text of the page', () => {
    fc.assert(
      fc.property(color, (given) => {
        const { accent, accentInk, accentSoft } = brandShades(given, theme);
        for (const ground of grounds) expect(contrast(accent, ground)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        expect(contrast(accentInk, accent)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        for (const text of texts) expect(contrast(text, accentSoft)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        for (const shade of [accent, accentInk, accentSoft]) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('leave a colour as it is when it can be read already', () => {
    fc.assert(
      fc.property(color, (given) => {
        fc.pre(grounds.every((ground) => contrast(given, ground) >= LEAST_CONTRAST));
        expect(brandShades(given, theme).accent).toBe(given);
      }),
    );
  });
});

test('contrast is that of the guidelines', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#1a56c4', '#1a56c4')).toBe(1);
});

describe('the palettes', () => {
  const [light = '', dark = ''] = [...css.matchAll(/:root \{([^}]+)\}/g)].map(([, block = '']) => block);
  const colors = (block: string) =>
    Object.fromEntries([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));

  test('are those of the stylesheet', () => {
    expect(colors(light)).toEqual(PALETTES.light);
    expect(colors(dark)).toEqual(PALETTES.dark);
  });

  test('are what the shades are computed for', () => {
    for (const theme of ['light', 'dark'] as const) {
      const { ground, surface, field, ink, muted } = PALETTES[theme];
      expect(new Set<string>(GROUNDS[theme].grounds)).toEqual(new Set([ground, surface, field]));
      expect(GROUNDS[theme].texts).toEqual([ink, muted]);
    }
  });
});

describe('the style of a look', () => {
  test('is none where nothing is to be changed', () => {
    expect(lookStyle({ brandColor: null, theme: 'auto' })).toBeNull();
  });

  test('fixes a theme whole, whatever the device prefers', () => {
    const dark = lookStyle({ brandColor: null, theme: 'dark' }) ?? '';
    expect(dark).toContain('color-scheme:dark;--ground:#0f1218');
    expect(dark).not.toContain('@media');
    expect(lookStyle({ brandColor: '#00ff00', theme: 'light' })).not.toContain('#1a56c4');
  });

  test('holds nothing but names of ours and colours, whatever was given', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom<Theme>('auto', 'light', 'dark'), (brandColor, theme) => {
        const style = lookStyle({ brandColor, theme }) ?? '';
        expect(style).toMatch(/^[a-z0-9:;#{}@() -]*$/);
      }),
    );
    expect(lookStyle({ brandColor: '#ff0066', theme: 'auto' })).toMatch(
      /^:root\{--accent:#[0-9a-f]{6};--accent-ink:#[0-9a-f]{6};--accent-soft:#[0-9a-f]{6}\}@media \(prefers-color-scheme:dark\)/,
    );
  });
});
