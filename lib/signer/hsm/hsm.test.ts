import { createPublicKey, randomBytes, verify } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { recoverAddress } from 'ethers';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeKeys, openSoftHsm, PIN, rawSession, type SoftHsm } from '@/testing/signer/soft-hsm';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { addressOfKey, hsmAccount, openHsmAccounts, recovered } from './accounts';
import { HsmFault, PinRefused } from './faults';
import { Hsm } from './hsm';
import { loadPkcs11 } from './pkcs11';
import { HsmSession } from './session';
import { nameOfWallet, type HsmKey, type HsmWallet } from './settings';

const directory = useTemporaryDirectory();
const EVM: HsmWallet = { role: 'refund', environment: 'live', family: 'evm' };
const SOLANA: HsmWallet = { role: 'refund', environment: 'live', family: 'solana' };
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

let soft: SoftHsm;
beforeEach(() => void (soft = openSoftHsm(directory)));

const generated = (wallet: HsmWallet): HsmKey => makeKeys(soft, [wallet])[0] as HsmKey;
/** The label of the key of EVM. */
const LABEL = 'refund-live-evm';
/** An HSM of which the test moves the clock. */
function opened() {
  const time = { now: 0 };
  const hsm = new Hsm(soft.place, { now: () => time.now });
  return { hsm, later: (milliseconds = 10_000) => void (time.now += milliseconds) };
}
const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(HsmFault);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};

describe('signatures', () => {
  test('a thousand signatures of random digests have a low s and recover to the address of the key', () => {
    const key = generated(EVM);
    const { hsm } = opened();
    const { sign } = hsmAccount(hsm, key);
    const made = Array.from({ length: 1000 }, () => {
      const digest = randomBytes(32);
      return { digest, signature: Buffer.from(sign(digest)) };
    });
    for (const { digest, signature } of made) {
      expect(signature).toHaveLength(65);
      const hex = signature.toString('hex');
      expect(BigInt(`0x${hex.slice(64, 128)}`)).toBeLessThanOrEqual(HALF_ORDER);
      const yParity = signature[64] as 0 | 1;
      const parts = { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64, 128)}`, yParity };
      expect(recoverAddress(digest, parts).toLowerCase()).toBe(key.address);
    }
    hsm.close();
  });

  test('a signature of Ed25519 is one of the whole message, and Node verifies it', () => {
    const key = generated(SOLANA);
    const { hsm } = opened();
    const account = hsmAccount(hsm, key);
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), account.publicKey]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    for (let size = 1; size <= 1200; size += 12) {
      const message = randomBytes(size);
      const signature = account.sign(message);
      expect(verify(null, message, publicKey, signature)).toBe(true);
      // Deterministic: the same message gives the same bytes.
      expect(account.sign(message)).toEqual(signature);
    }
    hsm.close();
  });

  test('what is no signature of the digest by the key is never finished', () => {
    const key = generated(EVM);
    const { hsm } = opened();
    const { publicKey, sign } = hsmAccount(hsm, key);
    const digest = randomBytes(32);
    const rs = sign(digest).subarray(0, 64);
    expect(recovered(rs, digest, publicKey)?.subarray(0, 64)).toEqual(rs);
    for (const wrong of [Buffer.alloc(64), Buffer.alloc(64, 255), rs.toReversed(), rs.subarray(1)])
      expect(recovered(wrong, digest, publicKey)).toBeNull();
    expect(recovered(rs, randomBytes(32), publicKey)).toBeNull();
    hsm.close();
  });
});

describe('a key never leaves the HSM', () => {
  test.each([EVM, SOLANA])('neither its value nor a wrapped copy is given out: $family', (wallet) => {
    const { label } = generated(wallet);
    const { js, calls, session, privateKey, close } = rawSession(soft);
    const key = privateKey(label);
    const read = calls.C_GetAttributeValue(
      session,
      key,
      [js.CKA_EXTRACTABLE, js.CKA_SENSITIVE, js.CKA_NEVER_EXTRACTABLE, js.CKA_ALWAYS_SENSITIVE].map((type) => ({
        type,
      })),
    );
    expect(read.map(({ value }) => value[0])).toEqual([0, 1, 1, 1]);
    expect(() => calls.C_GetAttributeValue(session, key, [{ type: js.CKA_VALUE }])).toThrow('CKR_ATTRIBUTE_SENSITIVE');
    const wrapping = calls.C_GenerateKey(session, { mechanism: js.CKM_AES_KEY_GEN }, [
      { type: js.CKA_VALUE_LEN, value: 32 },
      { type: js.CKA_WRAP, value: true },
    ]);
    const wrap = () =>
      calls.C_WrapKey(session, { mechanism: js.CKM_AES_KEY_WRAP_PAD }, wrapping, key, Buffer.alloc(512));
    expect(wrap).toThrow('CKR_KEY_UNEXTRACTABLE');
    const allow = () => calls.C_SetAttributeValue(session, key, [{ type: js.CKA_EXTRACTABLE, value: true }]);
    expect(allow).toThrow(/^CKR_/);
    close();
  });

  test('a key that can leave the HSM is refused', () => {
    const { js, calls, session, close } = rawSession(soft);
    const names = [
      { type: js.CKA_TOKEN, value: true },
      { type: js.CKA_LABEL, value: LABEL },
    ];
    calls.C_GenerateKeyPair(
      session,
      { mechanism: js.CKM_EC_KEY_PAIR_GEN },
      [...names, { type: js.CKA_EC_PARAMS, value: Buffer.from('06052b8104000a', 'hex') }],
      [...names, { type: js.CKA_EXTRACTABLE, value: true }, { type: js.CKA_SIGN, value: true }],
    );
    close();
    expect(messageOf(() => opened().hsm.publicKey(LABEL, 'secp256k1'))).toMatch(/can leave the HSM/);
  });
});

describe('each fault says what to do, without the PIN', () => {
  test('of the HSM, its PIN and its module', () => {
    const key = generated(EVM);
    const ask = () => hsmAccount(opened().hsm, key);
    expect(ask().address).toBe(key.address);
    const secret = '91827364';
    soft.writePin(secret);
    const refused = messageOf(ask);
    expect(refused).toMatch(/refuses the PIN \(CKR_PIN_INCORRECT\).*SIGNER_HSM_PIN_FILE/);
    expect(refused).not.toContain(secret);
    soft.writePin();
    fs.chmodSync(soft.place.pinFile, 0o644);
    expect(messageOf(ask)).toMatch(/chmod 600/);
    fs.chmodSync(soft.place.pinFile, 0o600);
    soft.writePin('');
    expect(messageOf(ask)).toMatch(/is empty: write the PIN/);
    fs.rmSync(soft.place.pinFile);
    expect(messageOf(ask)).toMatch(/is not a file with a PIN: correct SIGNER_HSM_PIN_FILE/);
    soft.writePin();
    soft.remove();
    expect(messageOf(ask)).toMatch(/no HSM with the label "stabletill" \(present: none\).*SIGNER_HSM_LABEL/);
    soft.putBack();
    const elsewhere = (file: string) => () => hsmAccount(new Hsm({ ...soft.place, module: file }), key);
    for (const file of ['/nowhere/library.so', soft.place.pinFile])
      expect(messageOf(elsewhere(file))).toMatch(/cannot be loaded: SIGNER_HSM_MODULE/);
    expect(messageOf(() => hsmAccount(new Hsm({ ...soft.place, label: 'other' }), key))).toMatch(
      /no HSM with the label "other" \(present: "stabletill"\)/,
    );
  });

  test('of its keys', () => {
    const key = generated(EVM);
    const ask = (changes: Partial<HsmKey>) => () => hsmAccount(opened().hsm, { ...key, ...changes });
    expect(messageOf(ask({ label: 'absent' }))).toMatch(/no private key with the label "absent".*hsm -- generate/);
    expect(messageOf(ask({ family: 'solana' }))).toMatch(/is not on the curve ed25519/);
    const other = `0x${'12'.repeat(20)}`;
    expect(messageOf(ask({ address: other }))).toMatch(
      new RegExp(`has the address ${key.address}, and SIGNER_HSM_KEYS names ${other} for refund/live/evm`),
    );
    const { js, calls, session, privateKey, close } = rawSession(soft);
    calls.C_CopyObject(session, privateKey(LABEL), [{ type: js.CKA_TOKEN, value: true }]);
    close();
    expect(messageOf(ask({}))).toMatch(/two private keys with the label/);
  });

  test('two wallets never share a key', () => {
    const key = generated(EVM);
    const tron: HsmWallet = { ...EVM, family: 'tron' };
    const { hsm } = opened();
    const address = addressOfKey('tron', hsm.publicKey(LABEL, 'secp256k1'));
    expect(messageOf(() => openHsmAccounts(hsm, [key, { ...tron, label: LABEL, address }]))).toMatch(/the same key/);
    const own = generated(tron);
    const both = openHsmAccounts(opened().hsm, [key, own]);
    expect([both.of(EVM)?.address, both.of(tron)?.address, both.of(SOLANA)]).toEqual([key.address, own.address, null]);
    expect(nameOfWallet(tron)).toBe('refund/live/tron');
  });
});

describe('an HSM that goes away', () => {
  test('signs again once it is back, without a restart, and nothing in between', () => {
    const { hsm, later } = opened();
    const account = hsmAccount(hsm, generated(EVM));
    const digest = randomBytes(32);
    account.sign(digest);
    soft.remove();
    for (let time = 0; time < 3; time++) {
      expect(messageOf(() => account.sign(digest))).toMatch(/no HSM with the label/);
      later();
    }
    soft.putBack();
    expect(account.sign(digest)).toHaveLength(65);
    hsm.close();
    expect(messageOf(() => account.sign(digest))).toMatch(/has closed the HSM/);
  });

  test('a session that ended is opened again within the same call', () => {
    const { hsm } = opened();
    const account = hsmAccount(hsm, generated(EVM));
    account.sign(randomBytes(32));
    // Another user of the module ends all sessions, as the restart of a device does.
    rawSession(soft).close();
    expect(account.sign(randomBytes(32))).toHaveLength(65);
    hsm.close();
  });

  test('a lost HSM is looked for once in two seconds only, because a module can take long to answer', () => {
    const { hsm, later } = opened();
    const account = hsmAccount(hsm, generated(EVM));
    soft.remove();
    expect(messageOf(() => account.sign(randomBytes(32)))).toMatch(/no HSM/);
    soft.putBack();
    expect(messageOf(() => account.sign(randomBytes(32)))).toMatch(/no HSM/);
    later();
    expect(account.sign(randomBytes(32))).toHaveLength(65);
    hsm.close();
  });

  test('after a slow attempt the signer waits ten times as long, and does not repeat the call at once', () => {
    const { hsm, later } = opened();
    const { label, address } = generated(EVM);
    expect(hsm.publicKey(label, 'secp256k1')).toHaveLength(65);
    let attempts = 0;
    const slow = () => {
      attempts++;
      later(30_000);
      throw new HsmFault('The network HSM did not answer.');
    };
    const payload = randomBytes(32);
    expect(messageOf(() => hsm.sign(label, 'secp256k1', { payload, check: slow }))).toMatch(/did not answer/);
    expect(attempts).toBe(1);
    later(299_999);
    expect(messageOf(() => hsm.publicKey(label, 'secp256k1'))).toMatch(/did not answer/);
    later(1);
    expect(addressOfKey('evm', hsm.publicKey(label, 'secp256k1'))).toBe(address);
    hsm.close();
  });

  test('a refused PIN is offered once, also after a restart, until its file is written again', () => {
    const { hsm, later } = opened();
    const account = hsmAccount(hsm, generated(EVM));
    const changePin = (from: string, to: string): void => {
      const { calls, session, close } = rawSession(soft, from);
      calls.C_SetPIN(session, from, to);
      close();
    };
    changePin(PIN, '445566');
    expect(() => account.sign(randomBytes(32))).toThrow(PinRefused);
    later();
    // The PIN of the file is right again, but the file was not written: the signer does not offer it.
    changePin('445566', PIN);
    expect(() => account.sign(randomBytes(32))).toThrow(PinRefused);
    expect(() => opened().hsm.publicKey(LABEL, 'secp256k1')).toThrow(PinRefused);
    later();
    fs.utimesSync(soft.place.pinFile, 1, 1);
    expect(account.sign(randomBytes(32))).toHaveLength(65);
    hsm.close();
  });

  test.each([
    ['CKR_VENDOR_DEFINED', true],
    ['CKR_GENERAL_ERROR', true],
    ['CKR_PIN_INCORRECT', true],
    ['CKR_DEVICE_REMOVED', false],
    ['CKR_FUNCTION_FAILED', false],
  ])('a login that fails with %s counts as a refused PIN: %s', (code, isRefused) => {
    const js = loadPkcs11();
    class FailingLogin extends js.PKCS11 {
      override C_Login(): never {
        throw new js.Pkcs11Error(code);
      }
    }
    const open = () =>
      new HsmSession({ js: { ...js, PKCS11: FailingLogin }, place: soft.place, pin: PIN, isWriter: false });
    if (isRefused) expect(open).toThrow(PinRefused);
    else expect(open).toThrow(code);
  });

  test('the signer leaves the last try of a PIN to the operator', () => {
    const js = loadPkcs11();
    let logins = 0;
    class LastTry extends js.PKCS11 {
      override C_GetTokenInfo(slot: Buffer) {
        const info = super.C_GetTokenInfo(slot);
        return { ...info, flags: info.flags | js.CKF_USER_PIN_FINAL_TRY };
      }
      override C_Login(): void {
        logins++;
      }
    }
    const open = () => new HsmSession({ js: { ...js, PKCS11: LastTry }, place: soft.place, pin: PIN, isWriter: false });
    expect(messageOf(open)).toMatch(/^One more wrong PIN locks the HSM "stabletill"/);
    expect(logins).toBe(0);
  });

  test('another HSM with the same labels and another key signs nothing', () => {
    const first = soft;
    const { hsm, later } = opened();
    const account = hsmAccount(hsm, generated(EVM));
    account.sign(randomBytes(32));
    soft = openSoftHsm(path.dirname(first.home));
    generated(EVM);
    expect(messageOf(() => account.sign(randomBytes(32)))).toMatch(/signed with another key than that of 0x/);
    first.use();
    later();
    expect(account.sign(randomBytes(32))).toHaveLength(65);
    hsm.close();
  });
});
