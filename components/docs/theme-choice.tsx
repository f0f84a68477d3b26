'use client';
// The colours of the documentation: light, dark or the device's; the same choice as in the dashboard.

import { useTheme } from '@/components/ui/use-theme';
import { isTheme, THEMES, type Theme } from '@/lib/i18n/theme';

export function ThemeChoice({ label, names }: { label: string; names: Readonly<Record<Theme, string>> }) {
  const [theme, setTheme] = useTheme();
  return (
    <div className="languages needs-scripts">
      <select
        aria-label={label}
        value={theme}
        onChange={({ target }) => isTheme(target.value) && setTheme(target.value)}
        autoComplete="off"
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
