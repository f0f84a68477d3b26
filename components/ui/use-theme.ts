'use client';
// Light, dark, or the system's theme; kept in a cookie, so that the next page is rendered in it from its first byte.

import { useSyncExternalStore } from 'react';
import { isTheme, type Theme } from '@/lib/i18n/theme';
import { pageCookieName } from '@/lib/platform/security/page-cookies';

export const YEAR_SECONDS = 365 * 24 * 3600;
const CHANGED = 'themechange';

/** The chosen theme and its setter; on the server it is the system's. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(listen, current, (): Theme => 'system');
  return [theme, choose];
}

function listen(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  return () => window.removeEventListener(CHANGED, changed);
}

function current(): Theme {
  const { theme } = document.documentElement.dataset;
  return isTheme(theme) ? theme : 'system';
}

function choose(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const isTls = window.location.protocol === 'https:';
  const secure = isTls ? '; Secure' : '';
  document.cookie = `${pageCookieName('theme', isTls)}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  window.dispatchEvent(new Event(CHANGED));
}
