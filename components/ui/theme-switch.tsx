'use client';
// The choice between light, dark and the system's theme.

import { THEMES } from '@/lib/i18n/theme';
import { Icon } from './icon';
import { useTheme } from './use-theme';
import { useWords } from './words';

const ICONS = { system: 'device', light: 'sun', dark: 'moon' } as const;

/** `isCompact`: icons alone, which still have names for screen readers. */
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
