'use client';
// The branding of a store: its forms, and a preview of the customer pages with the form's values.

import { useState } from 'react';
import { Card } from '@/components/ui/card';
import { useWords } from '@/components/ui/words';
import type { StoreLook } from '@/lib/merchants/branding/look';
import { LogoForm } from './logo-form';
import { LookForm } from './look-form';
import { Preview, type Draft } from './preview';

type Props = {
  readonly storeId: string;
  readonly storeName: string;
  readonly look: StoreLook;
  readonly mostOrigins: number;
  /** Bytes. */
  readonly largestLogo: number;
  readonly isReadOnly: boolean;
};

export function Branding({ storeId, storeName, look: { logo, ...look }, mostOrigins, largestLogo, isReadOnly }: Props) {
  const { t } = useWords();
  const [draft, setDraft] = useState<Draft>({
    name: look.displayName ?? '',
    color: look.brandColor ?? '',
    theme: look.theme,
    contact: look.supportContact ?? '',
  });
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_392px]">
      <div className="grid max-w-3xl gap-5">
        <Card title={t('lookPage')}>
          <LookForm
            // The fields start with the saved values, because the server normalizes some of them.
            key={JSON.stringify(look)}
            {...{ storeId, storeName, look, mostOrigins, isReadOnly }}
            onDraft={setDraft}
          />
        </Card>
        <Card title={t('lookLogo')}>
          <LogoForm
            storeId={storeId}
            name={look.displayName ?? storeName}
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
