// A real HSM in software for tests: SoftHSM, in a directory of its own. `npm test` installs it and compiles pkcs11js.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { addressOfKey, curveOf, openHsmAccounts, withHsmRefunds } from '@/lib/signer/hsm/accounts';
import { Hsm } from '@/lib/signer/hsm/hsm';
import { loadPkcs11 } from '@/lib/signer/hsm/pkcs11';
import { nameOfWallet, type HsmKey, type HsmPlace, type HsmWallet } from '@/lib/signer/hsm/settings';
import { refundAccounts, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { seed } from './signer-scene';

const MODULES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/local/lib/softhsm/libsofthsm2.so'];
export const PIN = '739152';
const OFFICER_PIN = '848484';

export type SoftHsm = ReturnType<typeof openSoftHsm>;

/** Initializes a HSM below `directory`. Sets SOFTHSM2_CONF, by which the module of this process finds it. */
export function openSoftHsm(directory: string, label = 'stabletill') {
  const library = MODULES.find((file) => fs.existsSync(file));
  if (!library)
    throw new Error('These tests need SoftHSM (Debian: apt-get install softhsm2). npm test installs it as root.');
  // Fails with one sentence where pkcs11js was not compiled.
  loadPkcs11();
  const home = fs.mkdtempSync(path.join(directory, 'hsm-'));
  const inside = (name: string): string => path.join(home, name);
  fs.mkdirSync(inside('tokens'));
  const settings = ['objectstore.backend = file', 'log.level = ERROR', `directories.tokendir = ${inside('tokens')}`];
  fs.writeFileSync(inside('softhsm2.conf'), `${settings.join('\n')}\n`);
  const use = (): void => void vi.stubEnv('SOFTHSM2_CONF', inside('softhsm2.conf'));
  use();
  execFileSync('softhsm2-util', ['--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', OFFICER_PIN]);
  const place: HsmPlace = {
    module: library,
    label,
    pinFile: inside('pin'),
    refusedPinFile: inside('refused-pin'),
  };
  const hsm = {
    place,
    home,
    /** The settings of a signer process. */
    environment: {
      SOFTHSM2_CONF: inside('softhsm2.conf'),
      SIGNER_HSM_MODULE: library,
      SIGNER_HSM_LABEL: label,
      SIGNER_HSM_PIN_FILE: place.pinFile,
    },
    /** Makes this HSM the one that the module finds. */
    use,
    writePin: (pin: string = PIN): void => fs.writeFileSync(place.pinFile, `${pin}\n`, { mode: 0o600 }),
    /** As if it was unplugged. */
    remove(): void {
      fs.renameSync(inside('tokens'), inside('away'));
      fs.mkdirSync(inside('tokens'));
    },
    putBack(): void {
      fs.rmdirSync(inside('tokens'));
      fs.renameSync(inside('away'), inside('tokens'));
    },
  };
  hsm.writePin();
  return hsm;
}

/** Makes keys in the HSM, as the `hsm` command does. */
export function makeKeys({ place }: SoftHsm, wallets: readonly HsmWallet[]): readonly HsmKey[] {
  const maker = new Hsm(place, { isWriter: true });
  const keys = wallets.map((wallet) => {
    const [label, curve] = [nameOfWallet(wallet).replaceAll('/', '-'), curveOf(wallet.family)];
    maker.use((session) => session.generate(label, curve));
    return { ...wallet, label, address: addressOfKey(wallet.family, maker.publicKey(label, curve)) };
  });
  maker.close();
  return keys;
}

/** The refund accounts of the test environment, with keys that are made in the HSM. A lost HSM is looked for at every call. */
export function refundAccountsIn(hsm: SoftHsm): RefundAccounts {
  const families = ['evm', 'tron', 'solana'] as const;
  const keys = makeKeys(
    hsm,
    families.map((family) => ({ role: 'refund', environment: 'test', family })),
  );
  return withHsmRefunds(refundAccounts(seed), openHsmAccounts(new Hsm(hsm.place, { pauseAfter: () => 0 }), keys));
}

/** pkcs11js itself, for what the signer never does. */
export function rawSession({ place }: SoftHsm, pin: string = PIN) {
  const js = loadPkcs11();
  const calls = new js.PKCS11();
  calls.load(place.module);
  try {
    calls.C_Initialize();
  } catch {
    // Another session of this process uses the module. It ends.
    calls.C_Finalize();
    calls.C_Initialize();
  }
  const slot = calls.C_GetSlotList(true).find((one) => calls.C_GetTokenInfo(one).label.trimEnd() === place.label)!;
  const session = calls.C_OpenSession(slot, js.CKF_SERIAL_SESSION | js.CKF_RW_SESSION);
  calls.C_Login(session, js.CKU_USER, pin);
  const privateKey = (label: string) => {
    const template = [
      { type: js.CKA_CLASS, value: js.CKO_PRIVATE_KEY },
      { type: js.CKA_LABEL, value: label },
    ];
    calls.C_FindObjectsInit(session, template);
    const [found] = calls.C_FindObjects(session, 1);
    calls.C_FindObjectsFinal(session);
    return found!;
  };
  return { js, calls, session, privateKey, close: () => calls.C_Finalize() };
}
