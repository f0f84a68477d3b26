'use client';
// The devices that are signed in, and buttons to sign them out.

import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DateTime } from '@/components/ui/date-time';
import { Confirm } from '@/components/ui/dialog';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';
import { readUserAgent } from './user-agent';

/** Times in Unix seconds. */
export type DeviceView = {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly since: number;
  readonly seen: number;
  readonly isCurrent: boolean;
};

export function Devices({ devices }: { devices: readonly DeviceView[] }) {
  const { t } = useWords();
  const endOthers = useAction((api) => api.post('/account/devices/end-others'), { done: t('accountDevicesEnded') });
  return (
    <div className="grid gap-4">
      <ul className="grid divide-y divide-line">
        {devices.map((one) => (
          <Device key={one.id} device={one} />
        ))}
      </ul>
      {devices.length > 1 && (
        <div>
          <Confirm
            trigger={t('accountDevicesEnd')}
            title={t('accountDevicesEndTitle')}
            text={t('accountDevicesEndText')}
            confirm={t('accountDevicesEnd')}
            isDangerous
            onConfirm={() => endOthers.run(undefined)}
          />
        </div>
      )}
    </div>
  );
}

function Device({ device }: { device: DeviceView }) {
  const { t } = useWords();
  const end = useAction((api) => api.post(`/account/devices/${device.id}/end`), { done: t('accountDeviceEnded') });
  const { browser, system, isPhone } = readUserAgent(device.userAgent);
  const name =
    browser && system ? t('accountDeviceOn', { browser, system }) : (browser ?? system ?? t('accountDeviceOther'));
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex min-w-0 items-center gap-3">
        <Icon name={isPhone ? 'phone' : 'device'} size={20} className="text-muted" />
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2 font-semibold">
            {name}
            {device.isCurrent && <Badge tone="good">{t('accountDeviceThis')}</Badge>}
          </p>
          <p className="text-[0.8125rem] text-muted">
            {device.address && `${device.address} · `}
            {t('accountDeviceSeen')} <DateTime at={device.seen} inList /> · {t('accountDeviceSince')}{' '}
            <DateTime at={device.since} inList />
          </p>
        </div>
      </div>
      {!device.isCurrent && (
        <Button size="small" isPending={end.isPending} onClick={() => void end.run(undefined)}>
          {t('accountDeviceEnd')}
        </Button>
      )}
    </li>
  );
}
