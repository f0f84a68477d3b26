// The colour theme that a person chose for the dashboard and the documentation. A cookie stores it, so that the server renders
// the page in it at once.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/**
 * Request header in which proxy.ts passes the theme to the frame of a dashboard page. A value from outside is always replaced.
 */
export const THEME_HEADER = 'x-page-theme';

export const isTheme = (text: string | null | undefined): text is Theme =>
  (THEMES as readonly (string | null | undefined)[]).includes(text);
