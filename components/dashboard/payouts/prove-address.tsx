'use client';
// The optional proof that a payout address is the store's: a text that the address's wallet signs, and the field for the signature.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { CopyIcon, CopyStatus, useCopy } from '@/components/ui/copy-field';
import { TextInput } from '@/components/ui/field';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';
import { useRefusalText, type Refused } from './refusal-text';

type Props = {
  readonly api: string;
  readonly network: string;
  readonly address: string;
  /** When the server made the text that is shown. */
  readonly onShown: (requestedAt: string) => void;
};
type ToSign = { readonly text: string; readonly requested_at: string };

export function ProveAddress({ api, network, address, onShown }: Props) {
  const { t } = useWords();
  const refusalText = useRefusalText();
  const [text, setText] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { run, isPending } = useAction(
    (call, _: null) => {
      const query = new URLSearchParams({ network, address: address.trim() });
      return call.get<ToSign | Refused>(`${api}/payout-addresses/proof?${query}`);
    },
    {
      isQuiet: true,
      onDone: (made) => {
        if ('refused' in made) return setFault(refusalText(made.refused));
        setFault(null);
        setText(made.text);
        onShown(made.requested_at);
      },
    },
  );
  return (
    <details>
      <summary className="w-fit cursor-pointer py-2 font-semibold text-accent">{t('padProve')}</summary>
      <div className="mt-2 grid gap-4">
        <p className="text-muted">{t('padProveText')}</p>
        {text === null ? (
          <>
            <Button isPending={isPending} disabled={address.trim() === ''} onClick={() => void run(null)}>
              {t('padProveShow')}
            </Button>
            {fault !== null && (
              <p role="alert" className="text-bad">
                {fault}
              </p>
            )}
          </>
        ) : (
          <ToSignText text={text} />
        )}
        <TextInput
          name="signature"
          label={t('padSignature')}
          hint={t('padSignatureHint')}
          isOptional
          isMono
          maxLength={300}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
    </details>
  );
}

function ToSignText({ text }: { text: string }) {
  const { t } = useWords();
  const [outcome, copy] = useCopy(text);
  return (
    <div className="grid gap-1">
      <p className="flex items-center justify-between gap-2 font-semibold">
        {t('padProveToSign')}
        <CopyIcon {...{ outcome, copy }} label={t('uiCopyThis', { what: t('padProveToSign') })} />
      </p>
      <pre
        dir="ltr"
        translate="no"
        className="rounded-lg bg-hover p-3 text-[0.8125rem] wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </pre>
      <CopyStatus outcome={outcome} />
    </div>
  );
}
