'use client';
// The signed-in user: their account, the appearance, and signing out.

import { Icon } from '@/components/ui/icon';
import { Menu } from '@/components/ui/menu';
import { useToast } from '@/components/ui/toast';
import { useTheme } from '@/components/ui/use-theme';
import { useWords } from '@/components/ui/words';
import { useFaultText } from './fault-text';
import { signOut } from './sign-out';
import { useViewer } from './viewer';

export function UserMenu() {
  const { t } = useWords();
  const viewer = useViewer();
  const [theme, setTheme] = useTheme();
  const toast = useToast();
  const faultText = useFaultText();
  if (!viewer) return null;
  const leave = async () => {
    const code = await signOut();
    if (code !== null) toast(faultText({ code }), 'bad');
  };
  return (
    <Menu
      label={t('navUserMenu', { email: viewer.email })}
      buttonClassName="grid size-9 flex-none place-items-center rounded-full text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
      button={<Icon name="user" size={20} />}
      head={
        <div className="px-2.5 pt-1.5 pb-2">
          {viewer.name && <p className="truncate font-semibold">{viewer.name}</p>}
          <p className="truncate text-[0.8125rem] text-muted">{viewer.email}</p>
        </div>
      }
      entries={[
        { kind: 'link', label: t('navAccount'), href: '/dashboard/account', icon: 'user' },
        { kind: 'link', label: t('navDocs'), href: '/docs', icon: 'external' },
        {
          kind: 'action',
          label: `${t('uiTheme')}: ${t(`uiTheme_${theme}`)}`,
          icon: theme === 'dark' ? 'moon' : 'sun',
          onSelect: () => setTheme(theme === 'system' ? 'light' : theme === 'light' ? 'dark' : 'system'),
        },
        { kind: 'line' },
        { kind: 'action', label: t('navSignOut'), icon: 'signOut', onSelect: () => void leave() },
      ]}
    />
  );
}
