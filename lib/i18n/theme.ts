// The colours that a person chose for the dashboard and the documentation, kept in a cookie so that the server draws the page in them at once.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Request header by which proxy.ts tells the frame of a dashboard page; one from outside is always replaced. */
export const THEME_HEADER = 'x-page-theme';

export const isTheme = (text: string | null | undefined): text is Theme =>
  (THEMES as readonly (string | null | undefined)[]).includes(text);
