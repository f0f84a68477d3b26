// The first set-up of an installation in its operator's browser: networks, the wallet's words, where the money goes, mail,
// limits, and going live. It exists only while `npm start` has it open.

import path from 'node:path';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { networkName } from '@/components/operator/names';
import { SetupFinish } from '@/components/operator/setup-finish';
import { SetupLimitsForm, SetupMailForm, SetupNetworkForm } from '@/components/operator/setup-forms';
import { SetupTreasuryForm } from '@/components/operator/setup-treasury-form';
import { Badge } from '@/components/ui/badge';
import { Card, Note, PageHead } from '@/components/ui/card';
import { CodeBlock } from '@/components/ui/code-block';
import { Icon } from '@/components/ui/icon';
import { RefreshWhile } from '@/components/ui/refresh-while';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { centsToText } from '@/lib/money/amounts';
import { readSetupView, type SetupView } from '@/lib/installation/setup/in-browser';

/** The signer's limits without settings of its own (lib/signer/settings.ts), in cents. */
const USUAL = { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n, approvalAbove: 500_000n };

export const generateMetadata = titled('authSetupTitle');

export default async function SetupPage() {
  const { context, actor } = await requirePage('setup.change');
  const [{ t }, view] = await Promise.all([getDashboardWords(), readSetupView(context)]);
  if (!view) redirect('/operator');
  return (
    <>
      <PageHead title={t('authSetupTitle')} text={t('setupText')} />
      <RefreshWhile isGoingOn={view.words === 'open'} />
      <div className="grid max-w-3xl gap-5">
        <Networks t={t} view={view} />
        <TestNetworks t={t} view={view} />
        {view.words !== 'none' && (
          <Words
            t={t}
            isConfirmed={view.words === 'confirmed'}
            command={recoveryWordsCommand(context.config.SETUP_FILE ?? '')}
          />
        )}
        {view.words !== 'none' && (
          <Step
            t={t}
            title={t('setupTreasuryTitle')}
            text={t('setupTreasuryText')}
            state={view.treasury.some(({ address }) => address !== null) ? 'done' : 'optional'}
          >
            <SetupTreasuryForm
              isDirect={view.isDirect}
              wallets={view.treasury.map(({ network, address }) => ({
                ...{ network, name: networkName(t, network), address: address ?? '' },
              }))}
            />
          </Step>
        )}
        <Step
          t={t}
          title={t('setupMailTitle')}
          text={t('setupMailText', { email: actor.email })}
          state={view.mailFrom === null ? 'optional' : 'done'}
        >
          <SetupMailForm email={actor.email} from={view.mailFrom} />
        </Step>
        <Step
          t={t}
          title={t('setupLimitsTitle')}
          text={t('setupLimitsText')}
          state={view.limits === null ? 'optional' : 'done'}
        >
          <SetupLimitsForm saved={amountsOf(view.limits ?? USUAL)} />
        </Step>
        <Card title={t('setupFinishTitle')} text={t('setupFinishText', { file: context.config.SETUP_FILE ?? '' })}>
          <div className="grid gap-4">
            <p className="max-w-prose text-muted">{t('setupFinishLater')}</p>
            <SetupFinish missing={missingOf(t, view)} />
          </div>
        </Card>
      </div>
    </>
  );
}

type T = DashboardWords['t'];
type StepProps = {
  readonly t: T;
  readonly title: string;
  readonly text: ReactNode;
  readonly state: 'done' | 'single' | 'open' | 'optional';
  readonly children: ReactNode;
};

function Step({ t, title, text, state, children }: StepProps) {
  const tone = ({ done: 'good', single: 'warn', open: 'warn', optional: 'plain' } as const)[state];
  return (
    <Card title={title} text={text} actions={<Badge tone={tone}>{t(`setupState_${state}`)}</Badge>}>
      {children}
    </Card>
  );
}

function Networks({ t, view: { networks, obstacles } }: { t: T; view: SetupView }) {
  const live = networks.filter(({ environment }) => environment === 'live');
  const isSaved = live.some(({ endpoints }) => endpoints > 0);
  const state = live.some(({ isSingle }) => isSingle) ? 'single' : isSaved ? 'done' : 'open';
  return (
    <Step t={t} title={t('setupNetworksTitle')} text={t('setupNetworksText')} state={state}>
      {obstacles.length > 0 ? (
        <Note tone="warn" title={t('setupAddressTitle')}>
          <p>{t('setupAddressText')}</p>
          <ul lang="en" dir="ltr" className="m-0 mt-1 list-disc ps-5">
            {obstacles.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Note>
      ) : (
        <NetworkForms t={t} networks={live} />
      )}
    </Step>
  );
}

/** Merchants try everything in test mode first, so it needs networks too. */
function TestNetworks({ t, view: { networks, obstacles } }: { t: T; view: SetupView }) {
  const tests = networks.filter(({ environment }) => environment === 'test');
  if (obstacles.length > 0) return null;
  return (
    <Step
      t={t}
      title={t('setupTestNetworksTitle')}
      text={t('setupTestNetworksText')}
      state={tests.some(({ endpoints }) => endpoints > 0) ? 'done' : 'optional'}
    >
      <NetworkForms t={t} networks={tests} />
    </Step>
  );
}

function NetworkForms({ t, networks }: { t: T; networks: SetupView['networks'] }) {
  return (
    <div className="-my-2 grid divide-y divide-line">
      {networks.map(({ network, environment, endpoints, isSingle }) => (
        <details key={network} className="group py-1">
          <summary className="flex cursor-pointer list-none items-center gap-2 py-2 pointer-coarse:py-3 [&::-webkit-details-marker]:hidden">
            <Icon name="right" className="flex-none text-muted group-open:rotate-90 rtl:-scale-x-100" />
            <span className="flex-1 font-semibold">{networkName(t, network)}</span>
            <span className={`text-[0.8125rem] ${isSingle ? 'text-warn' : 'text-muted'}`}>
              {endpoints === 0 ? t('setupNetworkNone') : t('setupNetworkCount', { count: endpoints })}
            </span>
          </summary>
          <div className="pt-3 pb-2">
            <SetupNetworkForm {...{ network, environment }} name={networkName(t, network)} isSaved={endpoints > 0} />
          </div>
        </details>
      ))}
    </div>
  );
}

function Words({ t, isConfirmed, command }: { t: T; isConfirmed: boolean; command: string }) {
  return (
    <Step t={t} title={t('setupWordsTitle')} text={t('setupWordsText')} state={isConfirmed ? 'done' : 'open'}>
      {isConfirmed ? (
        <p>{t('setupWordsDone')}</p>
      ) : (
        <div className="grid gap-2">
          <CodeBlock text={command} label={t('setupWordsCommand')} />
          <p className="text-[0.8125rem] text-muted">{t('setupWordsWaiting')}</p>
        </div>
      )}
    </Step>
  );
}

function missingOf(t: T, { networks, words }: SetupView): string | null {
  if (networks.every(({ environment, endpoints }) => environment === 'test' || endpoints === 0))
    return t('setupMissing_networks');
  return words === 'open' ? t('setupMissing_words') : null;
}

/** For any terminal of the server: changes to the installation and names its data directory. */
const recoveryWordsCommand = (file: string): string =>
  `cd ${inShell(process.cwd())} && DATA_DIR=${inShell(path.dirname(file))} npm run setup -- words`;

const inShell = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const amountsOf = (limits: typeof USUAL | NonNullable<SetupView['limits']>) => ({
  per_refund: centsToText(limits.perRefund),
  per_hour: centsToText(limits.perHour),
  per_day: centsToText(limits.perDay),
  approval_above: centsToText(limits.approvalAbove),
});
