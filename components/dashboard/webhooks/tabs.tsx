'use client';
// The webhook pages as tabs: the endpoint, its deliveries, and the verification.

import { usePathname } from 'next/navigation';
import { TabLinks } from '@/components/ui/tabs';
import { useWords } from '@/components/ui/words';

/** `base`: the path of the store's environment. */
export function WebhookTabs({ base }: { base: string }) {
  const { t } = useWords();
  const path = usePathname();
  const home = `${base}/webhooks`;
  const tabs = [
    { href: home, label: t('hookTabEndpoint'), isCurrent: path === home },
    { href: `${home}/deliveries`, label: t('hookTabDeliveries'), isCurrent: path.startsWith(`${home}/deliveries`) },
    { href: `${home}/verify`, label: t('hookTry'), isCurrent: path === `${home}/verify` },
  ];
  return <TabLinks label={t('hookTabs')} links={tabs} />;
}
