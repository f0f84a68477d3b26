'use client';
// A new store, created from the list of stores.

import { useRouter } from 'next/navigation';
import { useState, useSyncExternalStore } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import { StoreForm } from './store-form';

/** `isOpenAtFirst`: the page's address requests a new store. */
export function CreateStore({
  networks,
  isOpenAtFirst = false,
}: {
  networks: readonly string[];
  isOpenAtFirst?: boolean;
}) {
  const { t } = useWords();
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  // An open dialog in the server's HTML has an inline style, which the policy forbids.
  const isInBrowser = useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        {t('navNewStore')}
      </Button>
      <Dialog
        isOpen={isOpen && isInBrowser}
        onClose={() => setIsOpen(false)}
        title={t('navNewStore')}
        text={t('storeNewText')}
        isWide
      >
        <StoreForm
          storeId={null}
          networks={networks}
          onDone={({ id }) => {
            router.push(`/dashboard/${id}/test/overview`);
            // The surrounding frame was rendered without this store: it would show neither its name nor its navigation.
            router.refresh();
          }}
        />
      </Dialog>
    </>
  );
}
