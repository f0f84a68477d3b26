'use client';
// "Paste and verify": the merchant pastes what their server received. The service compares it with the endpoint's
// secrets and returns a verdict for each step. No secret is sent here, and none is requested.

import { useState } from 'react';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { VerifyResult, type Verified } from './verify-result';

const HEADERS = [
  'X-Service-Signature: …',
  'X-Service-Timestamp: …',
  'X-Service-Nonce: …',
  'X-Service-Event-Type: …',
  'X-Service-Event-ID: …',
].join('\n');

/** `body`: the initial text, from the delivery that linked here. */
export function VerifyForm({ api, body }: { api: string; body: string }) {
  const { t } = useWords();
  const [result, setResult] = useState<Verified | null>(null);
  return (
    <div className="grid gap-5">
      <ActionForm<Verified>
        send={(call, form) => {
          const computed = formText(form, 'computed').trim();
          return call.post(`${api}/webhook/verify`, {
            // Unchanged: adding or dropping one character of a body invalidates its signature.
            headers: formText(form, 'headers'),
            body: bytesOf(formText(form, 'body')),
            ...(computed !== '' && { computed }),
          });
        }}
        submit={t('vfyGo')}
        onDone={setResult}
        isQuiet
      >
        <TextArea
          name="headers"
          label={t('vfyHeaders')}
          hint={t('vfyHeadersHint')}
          placeholder={HEADERS}
          rows={6}
          required
          maxLength={16_000}
          spellCheck={false}
          autoComplete="off"
        />
        <TextArea
          name="body"
          label={t('vfyBody')}
          hint={t('vfyBodyHint')}
          defaultValue={body}
          rows={6}
          required
          maxLength={16_000}
          spellCheck={false}
          autoComplete="off"
        />
        <TextInput
          name="computed"
          label={t('vfyComputed')}
          hint={t('vfyComputedHint')}
          isOptional
          isMono
          maxLength={500}
          spellCheck={false}
          autoComplete="off"
        />
      </ActionForm>
      <div role="status">{result && <VerifyResult result={result} />}</div>
    </div>
  );
}

/** A form writes every line end as CR LF; a text field knows only LF. */
const bytesOf = (text: string): string => text.replaceAll('\r\n', '\n');
