'use client';
// Verifies the integrity of the audit log and exports it as a file. A download cannot request step-up, so the
// permission is requested first.

import { useState } from 'react';
import { useAction } from '@/components/dashboard/use-action';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { useWords } from '@/components/ui/words';

type Checked = { readonly entries: string; readonly head: string; readonly broken: string | null };

export function AuditTools() {
  const { t, format } = useWords();
  const [checked, setChecked] = useState<Checked | null>(null);
  const check = useAction<null, Checked>((api) => api.get('/operator/audit/check'), {
    onDone: setChecked,
    isQuiet: true,
  });
  const take = useAction<null, unknown>((api) => api.get('/operator/audit/export-permission'), {
    onDone: () => window.location.assign('/api/dashboard/operator/audit/export'),
    isQuiet: true,
  });
  return (
    <div className="mb-4 grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button icon="shield" isPending={check.isPending} onClick={() => void check.run(null)}>
          {t('operatorAuditCheck')}
        </Button>
        <Button icon="download" isPending={take.isPending} onClick={() => void take.run(null)}>
          {t('operatorAuditExport')}
        </Button>
      </div>
      <div aria-live="polite">
        {checked && checked.broken === null && (
          <Note tone="good" title={t('operatorAuditWhole', { entries: format.number(BigInt(checked.entries)) })}>
            <p>{t('operatorAuditHead')}</p>
            <CopyText text={checked.head} label={t('operatorAuditHeadName')} />
          </Note>
        )}
        {checked && checked.broken !== null && (
          <Note tone="bad" title={t('operatorAuditBroken', { number: checked.broken })} isAlert>
            {t('operatorAuditBrokenText')}
          </Note>
        )}
      </div>
    </div>
  );
}
