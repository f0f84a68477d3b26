// A passkey authenticator in code: a P-256 key that registers and signs like a security key, for tests of passkey
// verification. Tests can falsify every part of a response.

import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { passkeyAnswer } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import { newPasskeyAnswer } from '@/lib/merchants/accounts/second-factor/passkeys';
import type { ApproverKey } from '@/lib/signer/attestations/approver-code';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';

const sha = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
export const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;
export type Over = {
  origin?: string;
  host?: string;
  flags?: number;
  counter?: number;
  challenge?: string;
  type?: string;
};

/** An authenticator with one key. */
export class Authenticator {
  readonly id = randomBytes(16);
  readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;
  /** `origin`: of the pages that it is used on. */
  constructor(private readonly origin: string) {
    ({ publicKey: this.publicKey, privateKey: this.privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  register(challenge: string, over: Over = {}) {
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.cose()]);
    const authData = Buffer.concat([this.data({ flags: PRESENT | VERIFIED | ATTESTED, ...over }), attested]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return newPasskeyAnswer.parse({
      ...this.named(),
      response: {
        clientDataJSON: this.client({ type: 'webauthn.create', challenge, ...over }).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal', 'made-up'],
      },
    });
  }

  answer(challenge: string, over: Over = {}) {
    const client = this.client({ type: 'webauthn.get', challenge, ...over });
    const data = this.data(over);
    return passkeyAnswer.parse({
      ...this.named(),
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha(client)]), this.privateKey).toString('base64url'),
      },
    });
  }

  /** Its entry in the signer's list of approvers. */
  approverKey(): ApproverKey {
    return { credentialId: this.id.toString('base64url'), publicKey: this.cose().toString('base64url') };
  }

  /** Its signature of an approval's challenge. */
  approve(challenge: Uint8Array, over: Over = {}): SignedApproval {
    const { id, response } = this.answer(Buffer.from(challenge).toString('base64url'), over);
    const { clientDataJSON, authenticatorData, signature } = response;
    return { id, clientDataJSON, authenticatorData, signature };
  }

  private cose(): Buffer {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    return Buffer.from(isoCBOR.encode(key));
  }
  private named() {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  }
  private client({ type, challenge, origin = this.origin }: Over): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
  private data({ host = new URL(this.origin).hostname, flags = PRESENT | VERIFIED, counter = 0 }: Over): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags, 0);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha(host), tail]);
  }
}
