// Derives readable shades from a merchant's colour: the accent of the light and the dark page, the fill of buttons and the
// text on it, and a soft background. The computation enforces contrast (WCAG 2.2, 1.4.3) for every colour. Pure.

/** `#rrggbb`. */
export type Shades = {
  readonly accent: string;
  readonly accentSoft: string;
  readonly fill: string;
  readonly fillInk: string;
};

/** The backgrounds and neighbours of the shades in each theme. A test compares them with the stylesheet. */
export const GROUNDS = {
  light: { grounds: ['#f6f7f9', '#ffffff', '#eef0f4'], texts: ['#10141f', '#555d6d'], inks: ['#ffffff', '#10141f'] },
  dark: { grounds: ['#0c0f14', '#14181f', '#0a0d11'], texts: ['#eef0f4', '#a4acba'], inks: ['#0c1018', '#ffffff'] },
} as const;

/** WCAG AA for text of any size. */
export const LEAST_CONTRAST = 4.5;

/** WCAG AA for the shape of a control beside its background (1.4.11). */
export const LEAST_SHAPE_CONTRAST = 3;

/** The shades of a brand colour (`#rrggbb`) for one theme, each as near to it as contrast allows. */
export function brandShades(color: string, theme: keyof typeof GROUNDS): Shades {
  const { grounds, texts, inks } = GROUNDS[theme];
  const [end, surface] = theme === 'light' ? ['#000000', '#ffffff'] : ['#ffffff', '#14181f'];
  // Moves towards black on light backgrounds and towards white on dark ones. The end point is always readable.
  const accent = nearest(
    (share) => mix(color, end, share),
    (one) => reads(one, grounds),
  );
  const accentInk = inks.toSorted((a, b) => contrast(b, accent) - contrast(a, accent))[0] as string;
  // The background starts faint and loses colour until both of the page's text colours are readable on it.
  const accentSoft = nearest(
    (share) => mix(color, surface, SOFT_FROM + (1 - SOFT_FROM) * share),
    (one) => reads(one, texts),
  );
  // White on the unchanged colour looks better on dark pages than dark text on a lightened one.
  const isKept = contrast('#ffffff', color) >= LEAST_CONTRAST && contrast(color, surface) >= LEAST_SHAPE_CONTRAST;
  const [fill, fillInk] = isKept ? [color, '#ffffff'] : [accent, accentInk];
  return { accent, accentSoft, fill, fillInk };
}

const reads = (one: string, others: readonly string[]): boolean =>
  others.every((other) => contrast(one, other) >= LEAST_CONTRAST);

/** The smallest distance of the soft background from the brand colour. */
const SOFT_FROM = 0.88;
const STEPS = 100;

/** The shade with the smallest share, from 0 to 1, that is good. The whole share always is. */
function nearest(shade: (share: number) => string, isGood: (shade: string) => boolean): string {
  for (let step = 0; step < STEPS; step++) {
    const one = shade(step / STEPS);
    if (isGood(one)) return one;
  }
  return shade(1);
}

/** Contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function mix(from: string, to: string, share: number): string {
  const ends = channels(to);
  const mixed = channels(from).map((value, n) => Math.round(value + ((ends[n] as number) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
