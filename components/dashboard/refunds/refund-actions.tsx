'use client';
// The actions of a refund: cancel it while nothing is signed, request an address from the customer, and share the claim
// link for that address.

import { useState } from 'react';
import { Address } from '@/components/ui/address';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { Confirm } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';

export function CancelRefund({ api, id }: { api: string; id: string }) {
  const { t } = useWords();
  const { run } = useAction((call, _: null) => call.post(`${api}/refunds/${id}/cancel`), { done: t('refCanceled') });
  return (
    <Confirm
      trigger={t('refCancel')}
      title={t('refCancelTitle')}
      text={t('refCancelText')}
      confirm={t('refCancel')}
      isDangerous
      onConfirm={() => run(null)}
    />
  );
}

/** For a customer who paid from an exchange, or whose address on the payment's page is not trustworthy. */
export function RequestAddress({ api, id }: { api: string; id: string }) {
  const { t } = useWords();
  const { run } = useAction((call, _: null) => call.post(`${api}/refunds/${id}/ask-address`), {
    done: t('refAddressRequested'),
  });
  return (
    <Confirm
      trigger={t('refRequestAddress')}
      title={t('refRequestAddressTitle')}
      text={t('refRequestAddressText')}
      confirm={t('refRequestAddress')}
      onConfirm={() => run(null)}
    />
  );
}

/** For an address from the payment's page that the payment did not come from. */
export function ConfirmAddress({ api, id, address }: { api: string; id: string; address: string | null }) {
  const { t } = useWords();
  const { run } = useAction((call, _: null) => call.post(`${api}/refunds/${id}/confirm-address`), {
    done: t('refConfirmed'),
  });
  return (
    <div className="grid gap-3">
      <p className="max-w-prose text-muted">{t('refConfirmText')}</p>
      {address !== null && <Address text={address} />}
      <div>
        <Confirm
          trigger={t('refConfirm')}
          title={t('refConfirm')}
          text={t('refConfirmSure')}
          confirm={t('refConfirm')}
          onConfirm={() => run(null)}
        />
      </div>
    </div>
  );
}

/** `hasLink`: whether there is a link that can be shown. */
export function ClaimLink({ api, id, hasLink }: { api: string; id: string; hasLink: boolean }) {
  const { t } = useWords();
  const [url, setUrl] = useState<string | null>(null);
  const options = { onDone: (made: { url: string }) => setUrl(made.url) };
  const show = useAction((call, _: null) => call.post<{ url: string }>(`${api}/refunds/${id}/claim/show`), {
    ...options,
    isQuiet: true,
  });
  const renew = useAction((call, _: null) => call.post<{ url: string }>(`${api}/refunds/${id}/claim`), {
    ...options,
    done: t('refClaimRenewed'),
  });
  return (
    <div className="grid gap-3">
      <p className="max-w-prose text-muted">{t('refClaimText')}</p>
      {url !== null && (
        <Note tone="good" title={t('refClaimReady')}>
          <CopyText text={url} label={t('refClaim')} />
        </Note>
      )}
      <div className="flex flex-wrap gap-2">
        {hasLink && url === null && (
          <Button kind="primary" icon="eye" isPending={show.isPending} onClick={() => void show.run(null)}>
            {t('refClaimShow')}
          </Button>
        )}
        <Confirm
          trigger={t('refClaimRenew')}
          title={t('refClaimRenew')}
          text={t('refClaimRenewText')}
          confirm={t('refClaimRenew')}
          onConfirm={() => renew.run(null)}
        />
      </div>
    </div>
  );
}
