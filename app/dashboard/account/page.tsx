// The signed-in user's own account: second factors, profile, password, devices, language and appearance.

import { Devices } from '@/components/dashboard/account/devices';
import { Passkeys } from '@/components/dashboard/account/passkeys';
import { LanguageForm, PasswordForm, ProfileForm } from '@/components/dashboard/account/profile';
import { RecoveryRenewal, TwoFactor } from '@/components/dashboard/account/two-factor';
import { SECOND_FACTOR } from '@/components/dashboard/places';
import { Card, Note, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { ThemeSwitch } from '@/components/ui/theme-switch';
import { listDevices } from '@/lib/merchants/accounts/sign-in/devices';
import { listPasskeys } from '@/lib/merchants/accounts/second-factor/passkeys';
import { countRecoveryCodes } from '@/lib/merchants/accounts/second-factor/recovery-codes';
import { safePath } from '@/lib/merchants/accounts/sign-in/return-path';
import { approverCode, approverFingerprint } from '@/lib/signer/attestations/approver-code';
import { SHORTEST_PASSWORD } from '@/lib/merchants/accounts/password/password';
import { unixSeconds } from '@/lib/platform/clock';
import type { Parameters } from '@/lib/dashboard/lists/filters';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { isSetupOpen } from '@/lib/installation/setup/in-browser';

export const generateMetadata = titled('accountTitle');

type Props = { readonly searchParams: Promise<Parameters> };

export default async function AccountPage({ searchParams }: Props) {
  const { actor, context } = await requirePage('account');
  const { back } = await searchParams;
  const { login, userId, email } = actor;
  const { t } = await getDashboardWords();
  const [devices, passkeys, codes] = await Promise.all([
    listDevices(context, login),
    listPasskeys(context, userId),
    countRecoveryCodes(context.pool, userId),
  ]);
  return (
    <>
      <PageHead
        title={t('accountTitle')}
        back={
          typeof back === 'string'
            ? { href: safePath(back, context.config.PUBLIC_URL), label: t('accountBack') }
            : undefined
        }
      />
      <div className="grid max-w-3xl gap-5">
        {actor.isOperator && !login.hasTotp && !login.hasPasskeys && !isOwnSandbox(context.config) && (
          <Note tone="warn" title={t('accountFactorNeeded')}>
            {t('accountFactorNeededText')}
          </Note>
        )}
        {actor.isOperator && (login.hasTotp || login.hasPasskeys) && isSetupOpen(context.config) && (
          <Note tone="info" title={t('setupGoOnText')}>
            <Link href="/operator/setup" className="font-semibold">
              {t('setupGoOn')}
            </Link>
          </Note>
        )}
        {/* Also first with a passkey: the section must not move away when the first passkey is added. */}
        <Card id={SECOND_FACTOR} title={t('accountPasskeys')} text={t('accountPasskeysText')}>
          <Passkeys
            passkeys={passkeys.map(({ id, name, createdAt, lastUsedAt, publicKey }) => ({
              id,
              name,
              createdAt: unixSeconds(createdAt),
              usedAt: lastUsedAt && unixSeconds(lastUsedAt),
              approver: actor.isOperator ? approverOf(id, publicKey) : null,
            }))}
          />
        </Card>
        <Card title={t('accountTotp')} text={t('accountTotpText')}>
          <TwoFactor hasTotp={login.hasTotp} />
        </Card>
        {(login.hasTotp || login.hasPasskeys) && (
          <Card title={t('accountRecovery')} text={t('accountRecoveryText', { count: codes })}>
            <RecoveryRenewal />
          </Card>
        )}
        <Card title={t('accountProfile')} text={t('accountProfileText')}>
          <ProfileForm name={login.name} email={email} />
        </Card>
        <Card title={t('accountPassword')} text={t('accountPasswordText')}>
          <PasswordForm email={email} shortest={SHORTEST_PASSWORD} />
        </Card>
        <Card title={t('accountDevices')} text={t('accountDevicesText')}>
          <Devices
            devices={devices.map(({ id, userAgent, address, createdAt, lastSeenAt, isCurrent }) => ({
              id,
              userAgent,
              address,
              since: unixSeconds(createdAt),
              seen: unixSeconds(lastSeenAt),
              isCurrent,
            }))}
          />
        </Card>
        <Card title={t('accountPreferences')} text={t('accountPreferencesText')}>
          <div className="grid gap-5">
            <ThemeSwitch />
            <LanguageForm />
          </div>
        </Card>
      </div>
    </>
  );
}

/** The signer's code for an operator's passkey, and the fingerprint that people compare. */
function approverOf(credentialId: string, publicKey: Buffer): { code: string; fingerprint: string } {
  const key = { credentialId, publicKey: publicKey.toString('base64url') };
  return { code: approverCode(key), fingerprint: approverFingerprint(key) };
}
