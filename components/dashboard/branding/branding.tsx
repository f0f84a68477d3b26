'use client';
// The branding of a store: its forms, and a preview of the customer pages with the form's values.

import { useState } from 'react';
import { Card } from '@/components/ui/card';
import { useWords } from '@/components/ui/words';
import type { StoreBranding } from '@/lib/merchants/branding/branding';
import { LogoForm } from './logo-form';
import { BrandingForm } from './branding-form';
import { Preview, type Draft } from './preview';

type Props = {
  readonly storeId: string;
  readonly storeName: string;
  readonly branding: StoreBranding;
  readonly mostOrigins: number;
  /** Bytes. */
  readonly largestLogo: number;
  readonly isReadOnly: boolean;
};

export function Branding({
  storeId,
  storeName,
  branding: { logo, ...branding },
  mostOrigins,
  largestLogo,
  isReadOnly,
}: Props) {
  const { t } = useWords();
  const [draft, setDraft] = useState<Draft>({
    name: branding.displayName ?? '',
    color: branding.brandColor ?? '',
    theme: branding.theme,
    contact: branding.supportContact ?? '',
  });
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_392px]">
      <div className="grid max-w-3xl gap-5">
        <Card title={t('brandingPage')}>
          <BrandingForm
            // The fields start with the saved values, because the server normalizes some of them.
            key={JSON.stringify(branding)}
            {...{ storeId, storeName, branding, mostOrigins, isReadOnly }}
            onDraft={setDraft}
          />
        </Card>
        <Card title={t('brandingLogo')}>
          <LogoForm
            storeId={storeId}
            name={branding.displayName ?? storeName}
            logo={logo}
            largest={largestLogo}
            isReadOnly={isReadOnly}
          />
        </Card>
      </div>
      <Preview storeId={storeId} draft={draft} logo={logo?.hash ?? ''} />
    </div>
  );
}
