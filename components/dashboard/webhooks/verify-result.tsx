'use client';
// The result of "paste and verify": the verdict, and each step with its reason and what to change.

import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Note } from '@/components/ui/card';
import { useWords, type MessageKey } from '@/components/ui/words';
import type { VerifyStep, Verdict } from '@/lib/webhooks/console/verify';
import type { Match } from '@/lib/webhooks/console/verify-candidates';

export type Verified = { readonly is_right: boolean; readonly steps: readonly VerifyStep[] };

const TONES: Readonly<Record<Verdict, Tone>> = { right: 'good', wrong: 'bad', unknown: 'plain' };

export function VerifyResult({ result }: { result: Verified }) {
  const { t } = useWords();
  const computed = result.steps.find(({ step }) => step === 'computed_signature');
  return (
    <Card title={t('vfyResult')}>
      <div className="grid gap-4">
        {result.is_right ? (
          <Note tone="good" title={t('vfyRight')}>
            {computed ? t('vfyRightComputed') : t('vfyRightNext')}
          </Note>
        ) : (
          <Note tone="bad" title={t('vfyWrong')} />
        )}
        <ol aria-label={t('vfyResult')} className="m-0 grid list-none gap-3 p-0">
          {result.steps.map((step) => (
            <li key={step.step} className="grid gap-1 border-b border-line pb-3 last:border-b-0 last:pb-0">
              <p className="flex flex-wrap items-center gap-2">
                <Badge tone={TONES[step.verdict]}>{t(`vfyVerdict_${step.verdict}`)}</Badge>
                <span className="font-semibold">{t(`vfyStep_${step.step}`)}</span>
              </p>
              <Why step={step} />
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}

function Why({ step }: { step: VerifyStep }) {
  const { t } = useWords();
  const isComputed = step.step === 'computed_signature';
  if (isComputed && step.reason === 'signature_fits') return <p className="text-muted">{t('vfyComputedFits')}</p>;
  if (isComputed && step.reason === 'fits_nothing') return <p className="text-muted">{t('vfyComputedNothing')}</p>;
  const { headers = '', seconds = '', tolerance = '' } = step.details;
  return (
    <>
      <p className="break-words text-muted">{t(`vfyReason_${step.reason}`, { headers, seconds, tolerance })}</p>
      {step.reason === 'would_fit' && step.match && (
        <ul className="m-0 grid gap-1 ps-5">
          {differencesOf(step.match, step.step).map((key) => (
            <li key={key}>{t(key as 'vfyMatch_secret_api')}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The deviations from the documented scheme, each as the catalogue's key. */
function differencesOf({ secret, body, form, notation }: Match, step: VerifyStep['step']): MessageKey[] {
  const expected = step === 'previous_signature' ? 'previous' : 'present';
  return [
    ...(secret === expected ? [] : [`vfyMatch_secret_${secret}`]),
    ...(body === 'raw' ? [] : [`vfyMatch_body_${body}`]),
    ...(form === 'documented' ? [] : [`vfyMatch_form_${form}`]),
    ...(notation === 'hex' ? [] : [`vfyMatch_notation_${notation}`]),
  ] as MessageKey[];
}
