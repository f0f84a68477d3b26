// Names of browser and system from a User-Agent header: enough for users to recognize their own devices. Pure.

export type DeviceName = { readonly browser: string | null; readonly system: string | null; readonly isPhone: boolean };

/** The order matters: each later browser is also named in the headers of the ones before it. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export function readUserAgent(text: string): DeviceName {
  const nameIn = (names: typeof BROWSERS): string | null => names.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  return { browser: nameIn(BROWSERS), system: nameIn(SYSTEMS), isPhone: /\b(Mobile|iPhone|iPod)\b/.test(text) };
}
