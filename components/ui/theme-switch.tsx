'use client';
// Light, dark, or as the system wishes; kept in a cookie, so that the next page is drawn in it from its first byte.

import { useSyncExternalStore } from 'react';
import { isTheme, THEMES, type Theme } from '@/lib/i18n/theme';
import { pageCookieName } from '@/lib/page-cookies';
import { Icon } from './icon';
import { useWords } from './words';

const YEAR_SECONDS = 365 * 24 * 3600;
const CHANGED = 'themechange';

/** The chosen theme and how to choose another; on the server it is the system's. */
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

const ICONS = { system: 'device', light: 'sun', dark: 'moon' } as const;

/** `isCompact`: icons alone, which still have their names. */
export function ThemeSwitch({ isCompact = false }: { isCompact?: boolean }) {
  const { t } = useWords();
  const [theme, setTheme] = useTheme();
  return (
    <fieldset className="needs-scripts">
      <legend className="only-read">{t('uiTheme')}</legend>
      <div className="inline-flex rounded-lg border border-edge/50 p-0.5">
        {THEMES.map((one) => (
          <label
            key={one}
            title={isCompact ? t(`uiTheme_${one}`) : undefined}
            className="relative flex min-h-8 cursor-pointer items-center gap-1.5 rounded-md px-2.5 text-[0.8125rem] font-semibold text-muted has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name="theme"
              value={one}
              checked={one === theme}
              onChange={() => setTheme(one)}
              className="only-read"
            />
            <Icon name={ICONS[one]} size={15} />
            <span className={isCompact ? 'only-read' : ''}>{t(`uiTheme_${one}`)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
